import { lstatSync, realpathSync } from "node:fs";
import type { Socket } from "node:net";
import { resolve } from "node:path";
import { errorOf } from "../../wire/errors.ts";
import { connect } from "../connect-once.ts";
import { openDirectoryAbove } from "./own-directory.ts";

const ROOT = 0;

/**
 * Connects to a socket that belongs to this user or to root. A client's messages may be confidential, and any user
 * can put a socket into a shared directory while the right process is not running.
 *
 * @throws `unsafe_place`, or what `connect` throws.
 */
export async function connectOwnSocket(
  path: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Socket> {
  const before = ownSocketAt(path);
  const socket = await connect(path, timeoutMs, signal);
  try {
    if (ownSocketAt(path) === before) return socket;
    // Its host has just started or was replaced: the caller may try again.
    throw Object.assign(new Error("the socket was replaced meanwhile"), { code: "EAGAIN" });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/**
 * Returns the identity that distinguishes this file from a later one of its name. Undefined when there is none:
 * connecting reports why.
 */
function ownSocketAt(path: string): string | undefined {
  const real = realPathOf(path);
  if (real === undefined) return undefined;
  let mark: string | undefined;
  // A symbolic link of ours may lead to a socket of another user.
  for (const file of new Set([resolve(path), real])) {
    const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const owner = Number(stats.uid);
    if (owner !== process.getuid?.() && owner !== ROOT) {
      throw foreign(
        path,
        `${file === real ? "it" : "the link"} belongs to another user (uid ${owner})`,
      );
    }
    const open = openDirectoryAbove(file);
    if (open !== undefined)
      throw foreign(path, `any user can replace it, because all may write to ${open}`);
    mark = `${stats.dev}:${stats.ino}`;
  }
  return mark;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const foreign = (path: string, why: string): Error =>
  errorOf("unsafe_place", `The socket ${path} is not safe to use: ${why}.`, { data: { path } });
