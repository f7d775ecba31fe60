// npm run bench -- [--json] [name…]: runs the suites beside this file, all of them or the named ones.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import type { Report, Suite, SurveyReport } from "./harness.ts";
import { compare, survey } from "./harness.ts";
import { surveyTableOf, tableOf } from "./tables.ts";

const USAGE_ERROR = 64;
const NOT_SUITES = ["harness", "peer-packages", "run", "tables"];
const { BENCH_RESULTS: resultsDirectory = join(import.meta.dirname, "results") } = process.env;

interface Result {
  name: string;
  date: string;
  node: string;
  cpu: string;
  reports: Report[];
  surveys: SurveyReport[];
}

const suites = await findSuites();
const { json, names } = readArguments();
const results: Result[] = [];
for (const name of names) {
  const result = await runSuite(name);
  results.push(result);
  await save(result);
  const tables = [...result.reports.map(tableOf), ...result.surveys.map(surveyTableOf)];
  if (!json) console.log(tables.join("\n"));
}
if (json) console.log(JSON.stringify(results, null, 2));

async function findSuites(): Promise<string[]> {
  const files = await readdir(import.meta.dirname);
  return files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => basename(file, ".ts"))
    .filter((name) => !NOT_SUITES.includes(name))
    .sort();
}

function readArguments(): { json: boolean; names: string[] } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { json: { type: "boolean", default: false } },
    });
    const unknown = positionals.find((name) => !suites.includes(name));
    if (unknown !== undefined) throw new Error(`There is no suite named "${unknown}".`);
    return { json: values.json, names: positionals.length > 0 ? positionals : suites };
  } catch (error) {
    return exitWithUsage((error as Error).message);
  }
}

function exitWithUsage(problem: string): never {
  console.error(
    `${problem}\nUsage: npm run bench -- [--json] [name…]\nNames: ${suites.join(", ")}`,
  );
  process.exit(USAGE_ERROR);
}

async function runSuite(name: string): Promise<Result> {
  const module = (await import(`./${name}.ts`)) as { default: () => Suite | Promise<Suite> };
  const suite = await module.default();
  const reports: Report[] = [];
  const surveys: SurveyReport[] = [];
  try {
    for (const comparison of suite.comparisons) {
      console.error(`${name}: ${comparison.title} …`);
      reports.push(await compare(comparison));
    }
    for (const each of suite.surveys ?? []) {
      console.error(`${name}: ${each.title} …`);
      surveys.push(await survey(each));
    }
  } finally {
    await suite.close?.();
  }
  return {
    name,
    date: new Date().toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    reports,
    surveys,
  };
}

async function save(result: Result): Promise<void> {
  await mkdir(resultsDirectory, { recursive: true });
  const text = `${JSON.stringify(result, null, 2)}\n`;
  await writeFile(join(resultsDirectory, `${result.name}.json`), text);
}
