import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileTrouble } from "../../rehearsal/file-trouble.ts";
import type { Place, ScriptIssue } from "../../rehearsal/script-issues.ts";
import { issuesOf } from "../../rehearsal/script-issues.ts";
import { YamlSource } from "../../rehearsal/yaml-source.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { crossIssues } from "./cross-checks.ts";
import { TeamFileSchema } from "./team-schema.ts";
import type { Team } from "./team.ts";
import { toTeam } from "./team.ts";

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
  return parseTeam(text, file, workdir);
}

const syntaxHint = "Correct the YAML there. Text with colons, braces or # needs quotes.";

/** @throws `team_invalid` */
export function parseTeam(text: string, file: string, workdir: string): Team {
  const source = new YamlSource(text);
  if (source.syntaxError) throw teamInvalid(file, [source.syntaxError], syntaxHint);
  const placeOf = (path: readonly PropertyKey[]): Place => source.placeOf(path);
  const parsed = TeamFileSchema.safeParse(source.value ?? {});
  if (!parsed.success) throw teamInvalid(file, issuesOf(parsed.error, placeOf));

  const prompts = new Map<string, string>();
  const unread = Object.entries(parsed.data.agents).flatMap(([id, agent]): ScriptIssue[] => {
    const found = promptText(agent, dirname(file));
    if (found.ok) prompts.set(id, found.text);
    const path = ["agents", id, "prompt_file"];
    return found.ok ? [] : [{ place: placeOf(path), path: path.join("."), message: found.why }];
  });
  const issues = [...crossIssues(parsed.data, placeOf), ...unread];
  if (issues.length > 0) throw teamInvalid(file, issues);
  return toTeam(parsed.data, {
    resolvePath: (path) => resolve(workdir, path),
    promptOf: (id) => prompts.get(id) ?? "",
  });
}

type PromptText = { ok: true; text: string } | { ok: false; why: string };

function promptText(
  { prompt, prompt_file }: { prompt?: string | undefined; prompt_file?: string | undefined },
  beside: string,
): PromptText {
  if (prompt_file === undefined) return { ok: true, text: prompt ?? "" };
  const path = resolve(beside, prompt_file);
  try {
    return { ok: true, text: readFileSync(path, "utf8") };
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
