import { randomBytes } from "node:crypto";
import type { NatsLine } from "../../nats/open-nats-line.ts";
import type { Clock } from "../../time/clock.ts";
import { encodeJson, parseJson } from "../../wire/json-payload.ts";
import { HandOverSchema, OfficeBeatSchema } from "../../wire/office.ts";
import { askOffice } from "./ask-office.ts";
import { OFFICE_BEAT_MS, officeSubjects } from "./office-subjects.ts";
import type { StandbyFact } from "./standby-state.ts";
import { nextStandby } from "./standby-state.ts";

export interface StandByOptions {
  readonly line: NatsLine;
  readonly team: string;
  readonly name: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Longer than most servers need to come back. Each process waits a little differently, so that they do not race. */
const SILENCE_MS = 15_000;
const SPREAD_MS = 3000;

/** How a wait ended: the office is gone, or has asked this process to follow, or a person has stopped the team. */
export type StandbyEnd = "silence" | "asked" | "stopped";

/** Waits until this process is to become the office. @throws the signal's reason. */
export async function standBy(options: StandByOptions): Promise<StandbyEnd> {
  const { line, team, name, clock, signal } = options;
  signal.throwIfAborted();
  const incarnation = randomBytes(8).toString("hex");
  const subjects = officeSubjects(team);
  const patienceMs = SILENCE_MS + Math.random() * SPREAD_MS;
  const ended = Promise.withResolvers<StandbyEnd>();
  let state = { silentMs: 0, tickedMs: clock.steadyMs() };
  const take = (fact: StandbyFact): void => {
    const [next, then] = nextStandby(state, fact, patienceMs);
    state = next;
    if (then.do === "end") ended.resolve("stopped");
    else if (then.do === "follow" && then.because === "asked") ended.resolve("asked");
    else if (then.do === "follow") void confirm();
  };
  /** It may be this process that nobody hears: then the office answers as soon as it can be asked. */
  const confirm = async (): Promise<void> => {
    state = { ...state, silentMs: 0 };
    const office = await askOffice(line, team, { type: "who" }).catch(() => undefined);
    if (!office) ended.resolve("silence");
  };
  const undo = [
    line.subscribe(subjects.beat, (_, bytes) => {
      const beat = OfficeBeatSchema.safeParse(valueOf(bytes));
      if (beat.success) take({ type: "heard", beat: beat.data });
    }),
    line.subscribe(subjects.take, (_, bytes) => {
      const asked = HandOverSchema.safeParse(valueOf(bytes));
      if (asked.success && asked.data.to === incarnation) take({ type: "asked" });
    }),
  ];
  let cancel: (() => void) | undefined;
  const tick = (): void => {
    line.publish(subjects.standby, encodeJson({ name, incarnation }));
    take({ type: "tick", nowMs: clock.steadyMs() });
    cancel = clock.after(OFFICE_BEAT_MS, tick);
  };
  const abort = (): void => ended.reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  tick();
  try {
    return await ended.promise;
  } finally {
    cancel?.();
    signal.removeEventListener("abort", abort);
    for (const each of undo) each();
  }
}

const valueOf = (bytes: Uint8Array): unknown => {
  const parsed = parseJson(bytes);
  return parsed.ok ? parsed.value : undefined;
};
