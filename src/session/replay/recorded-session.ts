import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import type { Ended, Session, StatusFields } from "../core/session.ts";
import type { EventLog } from "../log/event-log.ts";
import { openLog } from "../log/event-log.ts";
import type { EventDraft } from "../log/log-batch.ts";
import { pendingOf } from "../state/pending.ts";
import type { Recording } from "./read-recording.ts";
import { blobsOf } from "./read-recording.ts";

/** Nobody wants to sit through the night that a session waited for its person. */
const MAX_GAP_MS = 10_000;

/** A session whose events are those of a recording, told anew. It takes no commands. */
export class RecordedSession implements Session {
  readonly log: EventLog;
  readonly cliVersion = undefined;
  readonly closed: Promise<Ended>;
  readonly #directory: string;
  readonly #events: readonly SessionEvent[];
  readonly #stop = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<Ended>();
  #isStopped = false;

  constructor({ events, directory }: Recording) {
    this.#events = events;
    this.closed = this.#ended.promise;
    // A log of its own: the recording stays as it is.
    this.#directory = mkdtempSync(join(tmpdir(), "switchboard-replay-"));
    if (directory !== undefined && existsSync(blobsOf(directory))) {
      symlinkSync(resolve(blobsOf(directory)), blobsOf(this.#directory));
    }
    this.log = openLog(this.#directory);
  }

  /** Tells the events with the pauses that they had, `speed` times as fast. Resolves after the last one. */
  async play(speed: number): Promise<void> {
    let last: number | undefined;
    for (const event of this.#events) {
      const at = "at" in event ? Date.parse(event.at) : last;
      const gapMs = Math.min(Math.max((at ?? 0) - (last ?? at ?? 0), 0), MAX_GAP_MS) / speed;
      last = at ?? last;
      if (gapMs >= 1) await this.#pause(gapMs);
      if (this.#isStopped) return;
      this.log.append(draftOf(event));
    }
    await this.log.durable();
  }

  status(): StatusFields {
    const { state, logId: log_id, epoch, lastSeq: last_seq } = this.log;
    return {
      session_id: state.sessionId ?? "recording",
      log_id,
      epoch,
      last_seq,
      state: state.activity,
      ...(state.turn && { turn_id: state.turn.turnId }),
      pending: pendingOf(state),
      queued: [...state.accepted.keys()].filter((id) => !state.turn?.messages.includes(id)),
      cwd: process.cwd(),
      mode: state.mode ?? "default",
      ...(state.model !== undefined && { model: state.model }),
      ...(state.effort !== undefined && { effort: state.effort }),
      ...(state.context && { context: state.context }),
      cost_usd: state.costUsd,
      ...(state.mcpServers && { mcp_servers: [...state.mcpServers] }),
      ...(state.backgroundTasks.length > 0 && { background_tasks: [...state.backgroundTasks] }),
    };
  }

  async handle(): Promise<void> {
    throw errorOf("read_only", "This is a recording: nobody is there to answer.");
  }

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

  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const time = new Promise<void>((done) => (timer = setTimeout(done, ms)));
    await Promise.race([time, this.#stop.promise]);
    clearTimeout(timer);
  }
}

function draftOf(event: SessionEvent): EventDraft {
  const { seq: _, ...rest } = event;
  if (!("at" in rest)) return rest;
  const { at: __, ...draft } = rest;
  return draft;
}
