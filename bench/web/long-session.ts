import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLogger } from "../../src/log/logger.ts";
import type { Session } from "../../src/session/core/session.ts";
import type { EventDraft } from "../../src/session/log/event-draft.ts";
import type { EventLog } from "../../src/session/log/event-log.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import type { SessionServer } from "../../src/session/serve/serve-session.ts";
import { serveSession } from "../../src/session/serve/serve-session.ts";
import { texts } from "./texts.ts";

const DELTAS_BEFORE_TOOL = 12;
const DELTAS_AFTER_TOOL = 8;
const PAUSE_MS = 20;
const onEnd = (): void => {};
const answer = texts.mixed(1_200);

/** A real log on a real socket, without a CLI: what it says is made here. */
export class LongSession implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "switchboard-bench-"));
  readonly #log: EventLog = openLog(this.#directory);
  #server: SessionServer | undefined;
  #turns = 0;

  static async serve(events: number): Promise<LongSession> {
    const session = new LongSession();
    session.#sayAtLeast(events);
    await session.#log.durable();
    const about = { version: "0.0.0", rehearsal: true };
    const logger = createLogger({ name: "bench" });
    session.#server = await serveSession(session.#session(), { about, logger, onEnd });
    return session;
  }

  get socket(): string {
    return this.#server?.path ?? "";
  }

  get lastSeq(): number {
    return this.#log.lastSeq;
  }

  /** The last words of the newest turn. */
  get lastWords(): string {
    return `End of turn ${this.#turns}.`;
  }

  /** So many more events and the rest of the last turn, in small groups as a CLI's output comes. */
  async say(events: number, perSecond: number): Promise<void> {
    const end = this.lastSeq + events;
    const began = performance.now();
    const first = this.lastSeq;
    while (this.lastSeq < end) {
      const due = first + ((performance.now() - began) * perSecond) / 1_000;
      this.#sayAtLeast(Math.min(end, due));
      await sleep(PAUSE_MS);
    }
  }

  sayAtOnce(events: number): void {
    this.#sayAtLeast(this.lastSeq + events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
    await this.#log.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #sayAtLeast(lastSeq: number): void {
    while (this.lastSeq < lastSeq) {
      this.#turns += 1;
      for (const draft of turn(this.#turns)) this.#log.append(draft);
    }
  }

  #session(): Session {
    const log = this.#log;
    return {
      log,
      cliVersion: undefined,
      status: () => ({
        session_id: "bench",
        log_id: log.logId,
        epoch: log.epoch,
        last_seq: log.lastSeq,
        state: "idle",
        pending: [],
        queued: [],
        cwd: "/",
        mode: "default",
      }),
      handle: () => Promise.resolve(),
      left() {},
      closed: new Promise(() => {}),
      close: () => Promise.resolve(),
    };
  }
}

/** One turn as a model has it: a question, words, a tool, words. */
function* turn(number: number): Generator<EventDraft> {
  const [id, turn_id, request_id] = [`m${number}`, `t${number}`, `r${number}`];
  yield { type: "user_message", id, text: `Question ${number}`, by: "bench", priority: "next" };
  yield { type: "turn_started", turn_id, messages: [id], cause: "message" };
  yield* words(turn_id, 0, answer, DELTAS_BEFORE_TOOL);
  const input = { command: `wc -c part-${number}.txt` };
  yield { type: "tool_use", turn_id, request_id, tool: "Bash", input };
  yield { type: "tool_result", turn_id, request_id, output: `${number}\n`, is_error: false };
  yield* words(
    turn_id,
    1,
    `It has ${number} characters.\n\nEnd of turn ${number}.`,
    DELTAS_AFTER_TOOL,
  );
  const usage = { input_tokens: 10, output_tokens: 10 };
  const cost = { usage, cost_usd: 0, duration_ms: 10, stop_reason: "completed" } as const;
  yield { type: "done", turn_id, messages: [id], ...cost };
}

function* words(
  turn_id: string,
  block: number,
  text: string,
  deltas: number,
): Generator<EventDraft> {
  const size = Math.ceil(text.length / deltas);
  for (let at = 0; at < text.length; at += size) {
    yield { type: "text_delta", turn_id, block, text: text.slice(at, at + size) };
  }
}
