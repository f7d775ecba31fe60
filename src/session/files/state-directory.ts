import { chmodSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { makeDirectories } from "../../files/make-directories.ts";
import { makeOwnDirectory } from "../../net/socket-file/own-directory.ts";
import { homeDirectory } from "../../proc/current-user.ts";
import { errorOf } from "../../wire/errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where everything lives that must outlast a process. */
export function userStateDirectory(env: Variables = process.env): string {
  const { XDG_STATE_HOME: base = "" } = env;
  // XDG: a relative path is ignored.
  return join(isAbsolute(base) ? base : join(homeDirectory(env), ".local/state"), "switchboard");
}

/** The requested directory, or the user's; no other user can read it. */
export function stateDirectory(asked: string | undefined): string {
  return privateDirectory(asked === undefined ? userStateDirectory() : resolve(asked));
}

/**
 * Creates a directory that only its owner may enter, or accepts one that exists.
 *
 * @throws `invalid_params` when it belongs to another user or cannot be created.
 */
export function privateDirectory(path: string): string {
  try {
    makeDirectories(path, 0o700);
    const { uid, mode } = statSync(path);
    if (uid !== process.getuid?.()) throw new Error("it belongs to another user");
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
    makeOwnDirectory(path);
    return path;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `${path} cannot be used as the state directory: ${why}`, {
      cause,
      data: { path },
      hint: "Name a directory of your own with --state-dir.",
    });
  }
}
