import type * as z from "zod";
import type { ErrorCode } from "./error-table.ts";
import { isErrorCode } from "./error-table.ts";
import type { ClaudeCodeError } from "./errors.ts";
import { errorOf } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import { isRecord } from "./json.ts";
import { cutText } from "../text/cut-text.ts";

/** A checked message of a peer: a bad message is an expected outcome and so a value, never a throw. */
export type Checked<T> = { ok: true; value: T } | { ok: false; error: ClaudeCodeError };

const MAX_ISSUES = 10;
const MAX_SHOWN = 64;

/**
 * Checks `value`. The error's message begins with `name` and the path of the first wrong field; its code is `code`,
 * unless the violated rule has one of its own.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  name: string,
  code: ErrorCode = "invalid_params",
): Checked<z.output<S>> {
  const result = schema.safeParse(value);
  return result.success
    ? { ok: true, value: result.data }
    : { ok: false, error: invalid(name, code, result.error.issues) };
}

/** The members of a union that all carry a literal `type`. */
type Typed = z.ZodObject<{ type: z.ZodLiteral<string> }>;

/**
 * A checker for a family of messages that differ in `type`. A type outside the family is `method_not_found`, with the
 * known types listed; a wrong field of a known one is `invalid_params`.
 *
 * @param family what one member is called in messages to people, as in "command".
 * @param reserved types that the protocol reserves for a later version.
 */
export function typedChecker<const Members extends readonly Typed[]>(
  family: string,
  members: Members,
  reserved: readonly string[] = [],
): (value: unknown) => Checked<z.output<Members[number]>> {
  const byType = new Map<string, Members[number]>();
  for (const member of members)
    for (const type of member.shape.type.values) byType.set(type, member);
  const known = [...byType.keys()];

  return (value) => {
    if (!isRecord(value)) return refuse("invalid_request", `${article(family)} is a JSON object.`);
    const { type } = value;
    if (typeof type !== "string") {
      return refuse(
        "invalid_request",
        `${article(family)} names its kind in the string field type.`,
      );
    }
    const schema = byType.get(type);
    if (schema) return check(schema, value, type);
    const why = reserved.includes(type) ? "is reserved for a later version" : "is not known";
    return refuse("method_not_found", `The ${family} ${shown(type)} ${why}.`, {
      data: { known_types: known },
      hint: `Use one of: ${known.join(", ")}.`,
    });
  };
}

export function refuse(
  code: ErrorCode,
  message: string,
  details?: Parameters<typeof errorOf>[2],
): { ok: false; error: ClaudeCodeError } {
  return { ok: false, error: errorOf(code, message, details) };
}

type Issue = z.core.$ZodIssue;

function invalid(name: string, code: ErrorCode, issues: readonly Issue[]): ClaudeCodeError {
  const found = issues.slice(0, MAX_ISSUES).map((issue) => ({
    path: pathOf(name, issue.path),
    rule: ruleOf(issue),
  }));
  const [first] = found;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  const own = ownFailure(issues[0]);
  return errorOf(own?.code ?? code, `${first?.path}: ${first?.rule}${more}`, {
    data: { ...own?.facts, issues: found },
  });
}

/** A rule's own failure: a code, and facts for `data`. */
export interface OwnFailure {
  code: ErrorCode;
  facts: JsonObject;
}

function ownFailure(issue: Issue | undefined): OwnFailure | undefined {
  if (issue?.code !== "custom" || !isErrorCode(issue.params?.["code"])) return undefined;
  return issue.params as unknown as OwnFailure;
}

function ruleOf(issue: Issue): string {
  const text = issue.message
    .replace(/^(Invalid (input|option|discriminator value)|Too (small|big))[:.] /, "")
    .replace("expected record", "expected object")
    .replace(", received undefined", ", but it is missing");
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Spelled as in code: `question.questions[0].options`. */
function pathOf(name: string, path: readonly PropertyKey[]): string {
  let text = name;
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += /^\w+$/.test(String(key)) ? `.${String(key)}` : `[${shown(String(key))}]`;
  }
  return text;
}

/** A peer's text ends up in logs and terminals: short, and without control characters. */
function shown(text: string): string {
  const cut = cutText(text, MAX_SHOWN);
  return JSON.stringify(cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "�"));
}

const article = (noun: string): string => `${/^[aeiou]/.test(noun) ? "An" : "A"} ${noun}`;
