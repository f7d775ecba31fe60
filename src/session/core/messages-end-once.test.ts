import * as fc from "fast-check";
import { expect, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { TurnEndedEvent } from "../../engine/events.ts";
import type { EngineMessage } from "../../engine/to-sdk-message.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { openLog } from "../log/open-log.ts";
import { CostMeter } from "./cost-meter.ts";
import { EngineEventRecorder } from "./record-engine-events.ts";
import { Inbox } from "./inbox.ts";
import type { SessionContext } from "./session-context.ts";
import { Recorder } from "./event-recorder.ts";
import { Turns } from "./open-and-end-turns.ts";

type Step = "say" | "whisper" | "take" | "end" | "kill" | "abort" | "drop" | "late drop";

const steps = fc.array(
  fc.constantFrom<Step>(
    "say",
    "say",
    "whisper",
    "take",
    "take",
    "end",
    "kill",
    "abort",
    "drop",
    "late drop",
  ),
  { maxLength: 40 },
);

/** Inbox and turns between a log and a CLI that keeps the CLI's rules, with a transcript of its own. */
class Stage {
  readonly log = openLog(memoryDir());
  readonly #heard = hear(this.log);
  readonly #recorder = new Recorder(this.log);
  readonly #inbox = new Inbox(this.#recorder, new HandTimers());
  readonly #turns = new Turns(this.#recorder, this.#inbox);
  readonly #feed = new EngineEventRecorder({
    log: this.log,
    recorder: this.#recorder,
    inbox: this.#inbox,
    turns: this.#turns,
    cost: new CostMeter(),
    approvals: { endWithdrawn: () => {} },
    watch: { look: () => {} },
    continuation: { dueAfter: () => undefined, wait: () => {} },
  } as unknown as SessionContext);
  /** In the hands of the CLI, and not in its transcript. */
  #queue: EngineMessage[] = [];
  readonly #transcript = new Set<string>();
  /** What the CLI's turn has taken in; undefined while it has none. */
  #turn: string[] | undefined;
  #said = 0;

  constructor() {
    this.#inbox.open((message) => this.#push(message));
  }

  async go(step: Step): Promise<void> {
    switch (step) {
      case "say":
      case "whisper": {
        const quiet = step === "whisper";
        const id = `m${(this.#said += 1)}`;
        const message = { type: "message", id, text: id, priority: "next", quiet } as const;
        await this.#inbox.accept(message, "me");
        break;
      }
      case "take":
        this.#take();
        break;
      case "end":
        this.#end("completed");
        break;
      case "kill":
        this.#kill();
        break;
      default:
        this.#abort(step);
    }
  }

  async events(): Promise<SessionEvent[]> {
    while (this.#queue.length > 0) this.#take();
    this.#end("completed");
    await this.log.close();
    return eventsOf(textOf(this.#heard));
  }

  #push(message: EngineMessage): void {
    const { id } = message;
    const twice = this.#transcript.has(id) || this.#queue.some((each) => each.id === id);
    if (twice) throw new Error(`${id} was pushed twice`);
    this.#queue.push(message);
  }

  /** The CLI writes the next message down: alone in a turn, in the turn that runs, or quietly. */
  #take(): void {
    const message = this.#queue.shift();
    if (!message) return;
    const { id, quiet } = message;
    this.#transcript.add(id);
    if (quiet === true) {
      if (!this.#turn) this.#feed.take({ type: "turn_started", messages: [id] });
      this.#inbox.markSeen(id);
      if (!this.#turn) this.#tellEnd([id], "completed");
      return;
    }
    this.#feed.take({ type: "message_state", id, state: "started" });
    if (!this.#turn) this.#feed.take({ type: "turn_started", messages: [id] });
    this.#inbox.markSeen(id);
    this.#turn = [...(this.#turn ?? []), id];
  }

  #end(stop_reason: TurnEndedEvent["stop_reason"]): void {
    if (!this.#turn) return;
    const messages = this.#turn;
    this.#turn = undefined;
    this.#tellEnd(messages, stop_reason);
  }

  #tellEnd(messages: string[], stop_reason: TurnEndedEvent["stop_reason"]): void {
    this.#feed.take({
      type: "turn_ended",
      messages,
      stop_reason,
      text: "",
      duration_ms: 0,
      usage: { input_tokens: 0, output_tokens: 0 },
      total_cost_usd: 0,
      model_turns: 1,
      model_usage: {},
      denials: [],
    });
  }

  /** It dies, and the next one is given what is not in the transcript; a turn that was open is taken up. */
  #kill(): void {
    const cut = this.#turn !== undefined;
    this.#turn = undefined;
    this.#queue = [];
    this.#inbox.shut();
    this.#feed.reset();
    const left = this.#inbox.handOver();
    const messages = this.#inbox.inTranscript();
    if (cut) this.#turns.expectResumption({ stopReason: "cli_lost", messages });
    else this.#turns.endAsLost({ stopReason: "cli_lost", messages });
    for (const message of left) if (!this.#transcript.has(message.id)) this.#push(message);
    this.#inbox.open((message) => this.#push(message));
    if (!cut) return;
    this.#feed.take({ type: "turn_started", messages: [] });
    this.#turn = [];
  }

  /** With a late drop the turn takes in one more message before the CLI has heard of the abort. */
  #abort(step: "abort" | "drop" | "late drop"): void {
    if (step !== "abort") this.#inbox.renounce();
    if (step === "late drop" && this.#turn) this.#take();
    const given = step === "abort" ? [] : this.#queue.splice(0).map(({ id }) => id);
    // What joined the turn is told as cancelled too, and stands in the transcript.
    for (const id of [...(this.#turn?.slice(1) ?? []), ...given]) {
      this.#feed.take({ type: "message_state", id, state: "cancelled" });
    }
    this.#end("aborted");
  }
}

test("each message and each turn ends once, whatever dies or is stopped in between", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (course) => {
      const stage = new Stage();
      for (const step of course) await stage.go(step);
      const events = await stage.events();
      const ends = events.flatMap((event) => {
        if (event.type === "done") return event.messages;
        return event.type === "message_dropped" ? [event.id] : [];
      });
      const accepted = events.filter((event) => event.type === "user_message");
      const loud = accepted.filter(({ quiet }) => quiet !== true).map(({ id }) => id);
      const endsOfLoud = ends.filter((id) => loud.includes(id));
      expect(endsOfLoud.toSorted()).toEqual(loud.toSorted());
      // A quiet one has no turn: it is seen, or it was dropped before.
      const seen = events.flatMap((event) => (event.type === "message_seen" ? [event.id] : []));
      expect(new Set(seen).size).toBe(seen.length);
      const dropped = events.flatMap((each) => (each.type === "message_dropped" ? [each.id] : []));
      expect(dropped.filter((id) => seen.includes(id))).toEqual([]);
      const whispered = accepted.filter(({ quiet }) => quiet === true).map(({ id }) => id);
      const fates = whispered.map((id) => [seen.includes(id), ends.includes(id)]);
      expect(fates.filter(([isSeen, isDropped]) => isSeen === isDropped)).toEqual([]);
      const marks = events.flatMap(({ type }) =>
        type === "turn_started" || type === "done" ? [type] : [],
      );
      expect(marks).toEqual(marks.map((_, at) => (at % 2 === 0 ? "turn_started" : "done")));
      expect(marks.length % 2).toBe(0);
      expect(stage.log.state.accepted.size).toBe(0);
    }),
    { numRuns: 150, examples: [[["say", "take", "say", "late drop"]]] },
  );
});
