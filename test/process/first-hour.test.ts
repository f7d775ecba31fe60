import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// A new user's first hour: the packed package is installed with npm, and docs/first-hour.md is followed.

const project = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "first-hour-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One installation for all, as npm makes it, with every dependency. */
beforeAll(() => {
  const quiet = { cwd: project, encoding: "utf8", stdio: "pipe" } as const;
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, quiet)) as [{ filename: string }];
  writeFileSync(join(folder, "package.json"), '{ "name": "walk", "version": "1.0.0" }');
  const flags = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  execFileSync("npm", ["install", ...flags, `./${filename}`, "zod"], { ...quiet, cwd: folder });
}, 300_000);

type Block = { readonly language: string; readonly text: string; readonly before: string };

function blocksOf(page: string): Block[] {
  const found = page.matchAll(/(?<before>[^\n]*)\n\n```(?<language>\w+)\n(?<text>[^]*?)```/g);
  return [...found].map(({ groups = {} }) => groups as unknown as Block);
}

/** The page as one shell script: files are written, commands run, and each block's output is marked. */
function scriptOf(blocks: readonly Block[]): string {
  const steps = blocks.map(({ language, text, before }, index) => {
    const [, file = ""] = /`([\w-]+\.m?ts)`:?$/.exec(before) ?? [];
    if (language === "ts") return `cat > ${file} <<'END_OF_FILE'\n${text}END_OF_FILE`;
    return language === "sh" ? `echo "=== ${index}"\n${text}` : "";
  });
  // What a failed step leaves in the background would keep the output open.
  const endOfJobs = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT";
  return `set -euo pipefail\n${endOfJobs}\n${steps.join("\n")}\n`;
}

test.each(["module", "commonjs"])(
  "every command of docs/first-hour.md works as the page says, in a folder of type %s",
  { timeout: 240_000 },
  (type) => {
    const work = join(folder, type);
    mkdirSync(work);
    writeFileSync(join(work, "package.json"), JSON.stringify({ name: type, type }));
    const blocks = blocksOf(readFileSync(join(project, "docs/first-hour.md"), "utf8"));
    expect(blocks.filter(({ language }) => language === "sh").length).toBeGreaterThan(5);
    const bins = [join(folder, "node_modules/.bin"), dirname(process.execPath)];
    const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
    // A step that never ends fails this test instead of holding up the whole run: `timeout` ends the script and its jobs.
    const limited = ["--kill-after=10", "100", "bash", "-c", `exec 2>&1; ${scriptOf(blocks)}`];
    const { status, stdout, stderr } = spawnSync("timeout", limited, {
      cwd: work,
      encoding: "utf8",
      env: {
        ...env,
        PATH: [...bins, process.env["PATH"]].join(delimiter),
        HOME: work,
        XDG_STATE_HOME: join(work, ".state"),
      },
    });
    expect({ status, stderr, stdout }).toMatchObject({ status: 0 });
    const outputs = new Map(
      stdout.split(/^=== /m).map((part) => [Number.parseInt(part, 10), part] as const),
    );
    blocks.forEach(({ language, text }, index) => {
      if (language !== "text") return;
      const before = blocks.findLastIndex((each, at) => at < index && each.language === "sh");
      for (const line of text.trim().split("\n")) expect(outputs.get(before)).toContain(line);
    });
  },
);
