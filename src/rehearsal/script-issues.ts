import type { z } from "zod";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";

export interface Place {
  line: number;
  column: number;
}

/** One thing that is wrong with a script. */
export interface ScriptIssue {
  /** Absent when the script is no file. */
  place: Place | undefined;
  /** Such as `rules[2].when.user`; empty when it is about the whole. */
  path: string;
  message: string;
}

export function issuesOf(
  error: z.ZodError,
  placeOf: (path: readonly PropertyKey[]) => Place | undefined,
): ScriptIssue[] {
  return error.issues.flatMap(intended).map((issue) => {
    const { path } = issue;
    const message = issue.message.endsWith("received undefined") ? "It is missing." : issue.message;
    const at = issue.code === "unrecognized_keys" ? [...path, issue.keys[0] ?? ""] : path;
    return { place: placeOf(at), path: pathText(path), message };
  });
}

/** What was wrong with the one alternative whose type fits; with all of them when none or several do. */
function intended(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  // What is wrong with a name stands inside.
  if (issue.code === "invalid_key") {
    return issue.issues.map((inner) => ({ ...inner, path: issue.path }));
  }
  if (issue.code !== "invalid_union") return [issue];
  const near = issue.errors.filter(
    (branch) => !branch.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  const [only] = near;
  if (!only || near.length > 1) return [issue];
  return only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

export function scriptInvalid(file: string, issues: ScriptIssue[], hint?: string): ClaudeCodeError {
  const lines = issues.map(({ place, path, message }) => {
    const where = place ? `${file}:${place.line}:${place.column}` : file;
    return `${where}: ${path === "" ? "" : `${path}: `}${message}`;
  });
  return errorOf("script_invalid", lines.join("\n"), {
    data: { file, issues: issues.map(({ place, path, message }) => ({ ...place, path, message })) },
    ...(hint !== undefined && { hint }),
  });
}

/** Such as `rules[2].when.user`; a name that is no word stands in quotes. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      if (typeof key === "number") return `[${key}]`;
      const name = String(key);
      if (!/^[\w-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return index > 0 ? `.${name}` : name;
    })
    .join("");
}
