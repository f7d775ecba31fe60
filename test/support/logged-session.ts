import { onTestFinished } from "vitest";
import type { Session } from "../../src/session/core/session.ts";
import type { LogOptions } from "../../src/session/log/event-log.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import { errorOf } from "../../src/wire/errors.ts";
import type { SessionCommand } from "../../src/wire/session/commands.ts";
import { tempDir } from "./temp-dir.ts";

export interface LoggedSession extends Session {
  readonly handled: { command: SessionCommand; by: string | undefined }[];
  /** More text of the answer. */
  say(text: string): number;
}

/** A session without a CLI: the real log, and commands that are written down. `set_model bad` fails. */
export function loggedSession({
  directory = tempDir(),
  ...options
}: { directory?: string } & LogOptions = {}): LoggedSession {
  const log = openLog(directory, options);
  onTestFinished(() => log.close());
  const handled: LoggedSession["handled"] = [];
  return {
    log,
    cliVersion: "2.1.325",
    handled,
    say: (text) => log.append({ type: "text_delta", turn_id: "t1", block: 0, text }).seq,
    status: () => ({
      session_id: "s1",
      log_id: log.logId,
      epoch: log.epoch,
      last_seq: log.lastSeq,
      state: "idle",
      pending: [],
      queued: [],
      cwd: "/work",
      mode: "default",
    }),
    async handle(command, by) {
      handled.push({ command, by });
      if (command.type === "set_model" && command.model === "bad") {
        throw errorOf("execution_failed", "Claude Code refused: no such model");
      }
      if (command.type === "approve") throw errorOf("unknown_request", "Nothing waits for that.");
    },
    left() {},
    closed: new Promise(() => {}),
    async close() {},
  };
}
