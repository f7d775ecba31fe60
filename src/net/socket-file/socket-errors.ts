import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { MAX_SOCKET_PATH_BYTES } from "./socket-path.ts";
import { reasonOf, systemCode } from "../../files/system-error-code.ts";

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

/** Where only a short path can be bound: for a moment there are other sockets beside it. */
export function tooDeep(path: string, beside: string): ClaudeCodeError {
  const [length, limit] = [Buffer.byteLength(dirname(path)), MAX_SOCKET_PATH_BYTES];
  const most = limit - (Buffer.byteLength(beside) - length);
  return errorOf(
    "socket_path_invalid",
    `The directory of the socket path ${path} has ${length} bytes; the system allows ${most}.`,
    { data: { path, length, limit: most } },
  );
}

/** Any refusal of the file system is an error of the chosen path. */
export function orInvalid<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof ClaudeCodeError) throw cause;
    const message = `No socket can be made at ${path}: ${whyNot(path, cause)}.`;
    throw errorOf("socket_path_invalid", message, {
      data: { path },
      cause,
      hint: "Choose a path in a directory that exists and is yours.",
    });
  }
}

/** In words about the path: the system's own message names internal files. */
function whyNot(path: string, cause: unknown): string {
  switch (systemCode(cause)) {
    case "ENOENT":
      return `there is no directory ${missingDirectory(path)}`;
    case "ENOTDIR":
      return "a part of the path is a file, not a directory";
    case "EACCES":
    case "EPERM":
      return `you may not make files in ${dirname(path)}`;
    default:
      return reasonOf(cause);
  }
}

/** The first missing directory on the way to the path. */
function missingDirectory(path: string): string {
  const directory = dirname(path);
  return existsSync(dirname(directory)) ? directory : missingDirectory(directory);
}
