import { chmodSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { makeDirectories } from "../../net/make-directories.ts";
import { errorOf } from "../../wire/errors.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where everything of ours lives that is to outlast a process. */
export function userStateDirectory(env: Variables = process.env): string {
  const { XDG_STATE_HOME: base = "", HOME: home = homedir() } = env;
  // The XDG rules: a relative path is to be ignored.
  return join(isAbsolute(base) ? base : join(home, ".local/state"), "switchboard");
}

/** The directory that was asked for or the user's, and nobody else can look into it. */
export function stateDirectory(asked: string | undefined): string {
  return privateDirectory(asked === undefined ? userStateDirectory() : resolve(asked));
}

/**
 * Makes a directory that only its owner may enter, or takes it if it is one.
 *
 * @throws `invalid_params` when it belongs to somebody else or cannot be made.
 */
export function privateDirectory(path: string): string {
  try {
    makeDirectories(path, 0o700);
    const { uid, mode } = statSync(path);
    if (uid !== process.getuid?.()) throw new Error("it belongs to somebody else");
    if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
    return path;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `${path} cannot be used for our state: ${why}`, {
      cause,
      data: { path },
      hint: "Name a directory of your own with --state-dir.",
    });
  }
}
