import { resolve } from "node:path";
import { check } from "../../wire/check-message.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import { PolicyFileSchema } from "../../wire/policy-rule.ts";
import { readUtf8 } from "../files/read-utf8.ts";

const hint =
  'Expected a JSON list of rules, such as [{"tool":"Bash","match":"rm *","action":"deny"}].';

/** The rules of a file. @throws `invalid_params`, naming the file and what is wrong with it. */
export function readPolicy(file: string): PolicyRule[] {
  const path = resolve(file);
  const checked = check(PolicyFileSchema, readJson(path), "policy");
  if (!checked.ok) throw unusable(path, checked.error.message, checked.error);
  return checked.value;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readUtf8(path));
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    throw unusable(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

const unusable = (path: string, why: string, cause: unknown) =>
  errorOf("invalid_params", `The policy ${path} cannot be used: ${why}`, { hint, cause });
