import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";

/** Where something stands in a text. Both count from 1. */
export interface SourcePosition {
  line: number;
  column: number;
}

/** One mistake in a file that a person wrote. */
export interface FileIssue {
  /** Absent when the text was given in code, not in a file. */
  position: SourcePosition | undefined;
  /** Such as `rules[2].when.user`; empty when the issue is about the whole file. */
  path: string;
  message: string;
}

/** An error that lists every issue as `file:line:column: path: message`, one per line, and as data for programs. */
export function invalidFile(
  code: "script_invalid" | "team_invalid",
  file: string,
  issues: readonly FileIssue[],
  hint?: string,
): ClaudeCodeError {
  return errorOf(code, issues.map((issue) => issueLine(file, issue)).join("\n"), {
    data: {
      file,
      issues: issues.map(({ position, path, message }) => ({ ...position, path, message })),
    },
    ...(hint !== undefined && { hint }),
  });
}

/** An issue as `file:line:column: path: message`. */
export function issueLine(file: string, { position, path, message }: FileIssue): string {
  const where = position ? `${file}:${position.line}:${position.column}` : file;
  return `${where}: ${path === "" ? "" : `${path}: `}${message}`;
}

/** Such as `rules[2].when.user`; a name with other characters than letters, digits, _ and - stands in quotes. */
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
