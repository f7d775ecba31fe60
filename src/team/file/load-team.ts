import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import { describeFileError } from "../../files/describe-file-error.ts";
import type { FileIssue } from "../../yaml/file-issue.ts";
import { invalidFile, issueLine } from "../../yaml/file-issue.ts";
import { schemaIssues } from "../../yaml/schema-issues.ts";
import { utf8Issue } from "../../yaml/utf8-issue.ts";
import { YamlSource } from "../../yaml/yaml-source.ts";
import { errorOf } from "../../wire/errors.ts";
import { workdirIssues } from "../host/local/workdir-issues.ts";
import { crossIssues } from "./cross-checks.ts";
import { withSubagents } from "./from-claude.ts";
import { onlyWarnings } from "./only-warnings.ts";
import { policyWarnings } from "./policy-warnings.ts";
import { checkToolServers } from "./tool-server-checks.ts";
import { TeamFileSchema } from "./team-schema.ts";
import type { Team } from "./team.ts";
import { toTeam } from "./team.ts";

/**
 * Reads a team file. Rejects with `team_invalid`, which names file, line, column and what to do.
 *
 * @param workdir the directory of agents that name none of their own, and the base of relative ones.
 */
export async function loadTeam(file: string, workdir: string = process.cwd()): Promise<Team> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw errorOf("team_invalid", `${file}: ${describeFileError(cause)}.`, {
      data: { file },
      cause,
      hint: "Name a team file that exists and that you may read; 'switchboard init' writes one.",
    });
  }
  const issue = utf8Issue(bytes);
  if (issue) throw invalidFile("team_invalid", file, [issue], "Save the team file as UTF-8.");
  const { team, issueAt } = readTeam(bytes.toString("utf8"), file, workdir);
  const issues = await workdirIssues(team, issueAt);
  if (issues.length > 0) throw invalidFile("team_invalid", file, issues);
  return team;
}

const syntaxHint = "Correct the YAML there. Text with colons, braces or # needs quotes.";

/** The same, without checking the directories that the file names. @throws `team_invalid` */
export const parseTeam = (text: string, file: string, workdir: string): Team =>
  readTeam(text, file, workdir).team;

function readTeam(text: string, file: string, workdir: string) {
  const source = new YamlSource(text);
  if (source.syntaxError) throw invalidFile("team_invalid", file, [source.syntaxError], syntaxHint);
  const issueAt = (path: readonly PropertyKey[], message: string): FileIssue =>
    source.issueAt(path, message);
  const filled = withSubagents(source.value ?? {}, workdir, claudeConfig());
  const parsed = TeamFileSchema.safeParse(filled.value);
  const crossed = [
    ...crossIssues(source.value, issueAt),
    ...filled.issues.map(({ path, message }) => issueAt(path, message)),
  ];
  if (!parsed.success) {
    const issues = schemaIssues(parsed.error, (path) => source.positionOf(path));
    throw invalidFile("team_invalid", file, [...issues, ...crossed]);
  }

  const prompts = new Map<string, string>();
  const unread = Object.entries(parsed.data.agents).flatMap(([id, agent]): FileIssue[] => {
    const found = promptText(agent, dirname(file));
    if (found.ok) prompts.set(id, found.text);
    return found.ok ? [] : [issueAt(["agents", id, "prompt_file"], found.why)];
  });
  const resolveBeside = (path: string): string => resolve(dirname(file), path);
  const issues = [...crossed, ...unread];
  checkToolServers(parsed.data, resolveBeside, process.env, (path, message) =>
    issues.push(issueAt(path, message)),
  );
  if (issues.length > 0) throw invalidFile("team_invalid", file, issues);
  const team = toTeam(parsed.data, {
    resolvePath: (path) => resolve(workdir, path),
    resolveBeside,
    promptOf: (id) => prompts.get(id) ?? "",
    warnings: [
      ...filled.warnings,
      ...[...onlyWarnings(parsed.data, issueAt), ...policyWarnings(parsed.data, issueAt)].map(
        (issue) => issueLine(file, issue),
      ),
    ],
  });
  return { team, issueAt };
}

type PromptText = { ok: true; text: string } | { ok: false; why: string };

function promptText(
  { prompt, prompt_file }: { prompt?: string | undefined; prompt_file?: string | undefined },
  beside: string,
): PromptText {
  if (prompt_file === undefined) return { ok: true, text: prompt ?? "" };
  const path = resolve(beside, prompt_file);
  try {
    const bytes = readFileSync(path);
    const issue = utf8Issue(bytes);
    if (issue) return { ok: false, why: `${issueLine(path, issue)} Save it as UTF-8.` };
    const text = bytes.toString("utf8");
    if (text.trim() !== "") return { ok: true, text };
    return { ok: false, why: `${path} is empty. Write there what the agent is for.` };
  } catch (error) {
    return {
      ok: false,
      why: `${path}: ${describeFileError(error)}. The path begins beside the team file.`,
    };
  }
}
