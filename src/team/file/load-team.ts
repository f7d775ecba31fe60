import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileTrouble } from "../../rehearsal/file-trouble.ts";
import type { Place, ScriptIssue } from "../../rehearsal/script-issues.ts";
import { issuesOf, pathText } from "../../rehearsal/script-issues.ts";
import { YamlSource } from "../../rehearsal/yaml-source.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { crossIssues } from "./cross-checks.ts";
import { TeamFileSchema } from "./team-schema.ts";
import type { Team } from "./team.ts";
import { toTeam } from "./team.ts";
import { workdirIssues } from "./workdirs.ts";

/**
 * Reads a team file. Rejects with `team_invalid`, which names file, line, column and what to do.
 *
 * @param workdir where agents work that name no directory of their own, and where relative ones begin.
 */
export async function loadTeam(file: string, workdir: string = process.cwd()): Promise<Team> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw errorOf("team_invalid", `${file}: ${fileTrouble(cause)}.`, {
      data: { file },
      cause,
      hint: "Name a team file that exists and that you may read; 'switchboard init' writes one.",
    });
  }
  const { team, issueAt } = readTeam(text, file, workdir);
  const issues = await workdirIssues(team, issueAt);
  if (issues.length > 0) throw teamInvalid(file, issues);
  return team;
}

const syntaxHint = "Correct the YAML there. Text with colons, braces or # needs quotes.";

/** The same without a look at the directories that it names. @throws `team_invalid` */
export const parseTeam = (text: string, file: string, workdir: string): Team =>
  readTeam(text, file, workdir).team;

function readTeam(text: string, file: string, workdir: string) {
  const source = new YamlSource(text);
  if (source.syntaxError) throw teamInvalid(file, [source.syntaxError], syntaxHint);
  const placeOf = (path: readonly PropertyKey[]): Place => source.placeOf(path);
  const issueAt = (path: readonly PropertyKey[], message: string): ScriptIssue => ({
    place: placeOf(path),
    path: pathText(path),
    message,
  });
  const parsed = TeamFileSchema.safeParse(source.value ?? {});
  if (!parsed.success) throw teamInvalid(file, issuesOf(parsed.error, placeOf));

  const prompts = new Map<string, string>();
  const unread = Object.entries(parsed.data.agents).flatMap(([id, agent]): ScriptIssue[] => {
    const found = promptText(agent, dirname(file));
    if (found.ok) prompts.set(id, found.text);
    return found.ok ? [] : [issueAt(["agents", id, "prompt_file"], found.why)];
  });
  const issues = [...crossIssues(parsed.data, placeOf), ...unread];
  if (issues.length > 0) throw teamInvalid(file, issues);
  const team = toTeam(parsed.data, {
    resolvePath: (path) => resolve(workdir, path),
    promptOf: (id) => prompts.get(id) ?? "",
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
    const text = readFileSync(path, "utf8");
    if (text.trim() !== "") return { ok: true, text };
    return { ok: false, why: `${path} is empty. Write there what the agent is for.` };
  } catch (error) {
    return {
      ok: false,
      why: `${path}: ${fileTrouble(error)}. The path begins beside the team file.`,
    };
  }
}

function teamInvalid(file: string, issues: readonly ScriptIssue[], hint?: string): ClaudeCodeError {
  const lines = issues.map(({ place, path, message }) => {
    const where = place ? `${file}:${place.line}:${place.column}` : file;
    return `${where}: ${path === "" ? "" : `${path}: `}${message}`;
  });
  return errorOf("team_invalid", lines.join("\n"), {
    data: { file, issues: issues.map(({ place, path, message }) => ({ ...place, path, message })) },
    ...(hint !== undefined && { hint }),
  });
}
