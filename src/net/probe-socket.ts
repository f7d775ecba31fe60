import { lstatSync } from "node:fs";
import { connect } from "./connect-once.ts";
import { shortPath } from "./socket-file/short-path.ts";
import { systemCode } from "../files/system-error-code.ts";

const PROBE_TIMEOUT_MS = 1_000;

/**
 * `dead` is certain: a socket that no process listens on. `unclear` is everything that does not prove
 * it (no permission, a full backlog, no descriptors left, a time-out), with the cause.
 */
export type Probe =
  | { state: "absent" | "dead" | "alive" | "not_a_socket" }
  | { state: "unclear"; cause: unknown };

/** Finds out what is at a path by connecting to it. Never throws, never changes anything. */
export async function probeSocket(path: string): Promise<Probe> {
  try {
    // Before connecting, because Linux refuses a connection to a plain file just as to a dead socket.
    if (!lstatSync(path).isSocket()) return { state: "not_a_socket" };
    using short = shortPath(path);
    const socket = await connect(short.path, PROBE_TIMEOUT_MS);
    socket.destroy();
    return { state: "alive" };
  } catch (cause) {
    const code = systemCode(cause);
    if (code === "ENOENT") return { state: "absent" };
    if (code === "ECONNREFUSED") return { state: "dead" };
    return { state: "unclear", cause };
  }
}
