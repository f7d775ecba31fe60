import { didYouMean } from "../../yaml/did-you-mean.ts";
import type { FileIssue, SourcePosition } from "../../yaml/file-issue.ts";
import { isRecord } from "../../wire/json.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { FrontMatter } from "./front-matter.ts";
import { readFrontMatter } from "./front-matter.ts";
import type { FieldResult } from "./subagent-fields.ts";
import {
  idleFields,
  modeField,
  namesField,
  teamFileInstead,
  textField,
  usedFields,
} from "./subagent-fields.ts";

/** A sub-agent as its file describes it. */
export interface SubagentFile {
  readonly name: string;
  readonly description: string;
  /** The text below the front matter. */
  readonly prompt: string;
  /** Absent: that of the session. */
  readonly model?: string;
  /** The only tools that it has, as written; absent: all. */
  readonly tools?: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly skills: readonly string[];
  /** The place of a field in the file. */
  readonly positionOf: (field: string) => SourcePosition | undefined;
  /** What the file says and a team does not do. */
  readonly warnings: readonly FileIssue[];
}

export type ReadSubagent =
  | { readonly ok: true; readonly subagent: SubagentFile }
  | {
      readonly ok: false;
      readonly name: string | undefined;
      readonly issues: readonly FileIssue[];
    };

/** Reads the text of such a file. */
export function readSubagent(text: string): ReadSubagent {
  const front = readFrontMatter(text);
  if ("issue" in front) return { ok: false, name: undefined, issues: [front.issue] };
  const { value } = front;
  const issues: FileIssue[] = [];
  const report = (field: string, message: string): void => {
    issues.push({ position: front.positionOf([field]), path: field, message });
  };
  if (!isRecord(value)) {
    report("", "Fields are expected here, such as name: and description:.");
    return { ok: false, name: undefined, issues };
  }
  const read = <Value>(field: string, of: (value: unknown) => FieldResult<Value>) => {
    const given = value[field];
    if (given === undefined || given === null) return undefined;
    const result = of(given);
    if (result.ok) return result.value;
    report(field, `Expected ${result.expected}.`);
    return undefined;
  };
  const name = read("name", textField);
  const description = read("description", textField);
  const model = read("model", textField);
  const tools = read("tools", namesField);
  const permissionMode = read("permissionMode", modeField);
  const disallowedTools = read("disallowedTools", namesField) ?? [];
  const skills = read("skills", namesField) ?? [];
  if (value["name"] === undefined) report("name", "It is missing: Claude Code needs it too.");
  if (value["description"] === undefined) {
    report("description", "It is missing: say what the sub-agent is for.");
  }
  if (front.body === "") report("", "There is no text below the front matter: it is the prompt.");
  if (name === undefined || description === undefined || issues.length > 0) {
    return { ok: false, name, issues };
  }
  return {
    ok: true,
    subagent: {
      name,
      description: withoutExamples(description),
      prompt: front.body,
      ...(model !== undefined && model.toLowerCase() !== "inherit" && { model }),
      ...(tools && !tools.includes("*") && { tools }),
      ...(permissionMode && { permissionMode }),
      disallowedTools,
      skills,
      positionOf: (field) => front.positionOf([field]),
      warnings: warningsOf(value, front),
    },
  };
}

/** Examples in a description tell Claude Code when to call its own tool for sub-agents, which is none of a team's. */
function withoutExamples(description: string): string {
  const text = description.replaceAll(String.raw`\n`, "\n");
  const short = text.replace(/\s*(?:examples?:?)?\s*-?\s*<example>[\s\S]*$/i, "").trim();
  return short === "" ? text : short;
}

function warningsOf(value: Record<string, unknown>, front: FrontMatter): FileIssue[] {
  const known: readonly string[] = [...usedFields, ...idleFields, ...Object.keys(teamFileInstead)];
  return Object.keys(value).flatMap((field): FileIssue[] => {
    const at = { position: front.positionOf([field]), path: field };
    const instead = teamFileInstead[field];
    if (instead !== undefined) return [{ ...at, message: `A team does not use it. ${instead}` }];
    if (known.includes(field)) return [];
    const near = didYouMean(field, known);
    const question = near === undefined ? "" : ` Did you mean ${near}?`;
    return [{ ...at, message: `Unknown field, which is ignored.${question}` }];
  });
}
