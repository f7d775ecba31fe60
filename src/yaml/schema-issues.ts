import type * as z from "zod";
import type { FileIssue, SourcePosition } from "./file-issue.ts";
import { pathText } from "./file-issue.ts";

/** What a schema found wrong with a value, each issue with its position in the file that the value came from. */
export function schemaIssues(
  error: z.ZodError,
  positionOf: (path: readonly PropertyKey[]) => SourcePosition | undefined,
): FileIssue[] {
  return error.issues.flatMap(intended).map((issue) => {
    const { path } = issue;
    const message = issue.message.endsWith("received undefined") ? "It is missing." : issue.message;
    const at = issue.code === "unrecognized_keys" ? [...path, issue.keys[0] ?? ""] : path;
    return { position: positionOf(at), path: pathText(path), message };
  });
}

/** The issues of the one alternative of a union whose type fits; the union's own issue when none or several fit. */
function intended(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  // An invalid key carries its reasons as inner issues.
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
