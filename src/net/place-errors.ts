import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { reasonOf } from "./system-error.ts";

export function inUse(path: string, why: string, cause?: unknown): ClaudeCodeError {
  return errorOf("socket_in_use", `The socket ${path} is in use: ${why}.`, {
    data: { path },
    cause,
  });
}

export function notASocket(path: string): ClaudeCodeError {
  return errorOf(
    "socket_path_invalid",
    `${path} exists and is not a socket; it was left as it is.`,
    {
      data: { path },
      hint: "Choose another path, or move that file away.",
    },
  );
}

/** Whatever the file system refuses is a fault of the path that was chosen. */
export function orInvalid<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    const message = `No socket can be made at ${path}: ${reasonOf(cause)}.`;
    throw errorOf("socket_path_invalid", message, { data: { path }, cause });
  }
}
