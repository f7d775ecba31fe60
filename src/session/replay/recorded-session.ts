import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { settlesWithin } from "../../time/time-limit.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { SessionEnd, Session, StatusFields } from "../core/session.ts";
import { statusOf } from "../core/status-of.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/open-log.ts";
import type { EventDraft } from "../log/event-draft.ts";
import type { Recording } from "./read-recording.ts";
import { blobsOf } from "./read-recording.ts";

/** A viewer does not want to sit through the night in which a session waited for a person. */
const MAX_GAP_MS = 10_000;

/** Replays the events of a recording as a session. It takes no commands. */
export class RecordedSession implements Session {
  readonly log: EventLog;
  readonly cliVersion = undefined;
  readonly closed: Promise<SessionEnd>;
  readonly #directory: string;
  readonly #events: readonly SessionEvent[];
  readonly #stop = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<SessionEnd>();
  #isStopped = false;

  constructor({ events, directory }: Recording) {
    this.#events = events;
    this.closed = this.#ended.promise;
    // A log of its own, so that the recording stays unchanged.
    this.#directory = mkdtempSync(join(tmpdir(), "switchboard-replay-"));
    if (directory !== undefined && existsSync(blobsOf(directory))) {
      symlinkSync(resolve(blobsOf(directory)), blobsOf(this.#directory));
    }
    this.log = openLog(this.#directory);
  }

  /** Records the events with their original pauses, divided by `speed`. Resolves after the last one. */
  async play(speed: number): Promise<void> {
    let last: number | undefined;
    for (const event of this.#events) {
      const at = "at" in event ? Date.parse(event.at) : last;
      const gapMs = Math.min(Math.max((at ?? 0) - (last ?? at ?? 0), 0), MAX_GAP_MS) / speed;
      last = at ?? last;
      if (gapMs >= 1) await settlesWithin(this.#stop.promise, gapMs);
      if (this.#isStopped) return;
      this.log.append(draftOf(event));
    }
    await this.log.durable();
  }

  /** Tells all events at once, each with the time at which it happened. */
  async tell(): Promise<void> {
    for (const { seq: _, ...event } of this.#events) this.log.append(event);
    await this.log.durable();
  }

  status(): StatusFields {
    const { state } = this.log;
    return {
      ...statusOf(this.log),
      session_id: state.sessionId ?? "recording",
      queued: [...state.accepted.keys()].filter((id) => !state.turn?.messages.includes(id)),
      cwd: process.cwd(),
      mode: state.mode ?? "default",
    };
  }

  async handle(): Promise<void> {
    throw errorOf("read_only", "This is a recording: there is no session that could answer.", {
      hint: "You can only read it. To go on with the session: agent-socket --cwd DIR --resume SESSION_ID",
    });
  }

  left(): void {}

  async close(reason: "signal" | "shutdown" | "linger"): Promise<void> {
    if (!this.#isStopped) {
      this.#isStopped = true;
      this.#stop.resolve();
      this.log.append({ type: "closing", reason });
      await this.log.close();
      rmSync(this.#directory, { recursive: true, force: true });
      this.#ended.resolve({ reason });
    }
    await this.closed;
  }
}

function draftOf(event: SessionEvent): EventDraft {
  const { seq: _, ...rest } = event;
  if (!("at" in rest)) return rest;
  const { at: __, ...draft } = rest;
  return draft;
}
