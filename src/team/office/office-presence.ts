import type { NatsLine } from "../../nats/open-nats-line.ts";
import type { Clock } from "../../time/clock.ts";
import { toWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import { encodeJson, parseJson } from "../../wire/json-payload.ts";
import type { OfficeFacts, OfficeQuestion, StandbyBeat } from "../../wire/office.ts";
import { OfficeBeatSchema, OfficeQuestionSchema, StandbyBeatSchema } from "../../wire/office.ts";
import { OFFICE_BEAT_MS, officeSubjects } from "./office-subjects.ts";

export interface OfficePresenceOptions {
  readonly line: Pick<NatsLine, "publish" | "subscribe" | "answer">;
  readonly team: string;
  readonly name: string;
  readonly epoch: number;
  readonly clock: Clock;
  /** Another process says that it is the office, with a higher epoch. */
  readonly onNewer: () => void;
  /** A person wants the office to move there. */
  readonly onMove: (to: StandbyBeat) => void;
}

const STANDBY_LOST_MS = 3 * OFFICE_BEAT_MS;

/** Tells others that this process is the office, and answers them. */
export class OfficePresence {
  readonly #options: OfficePresenceOptions;
  readonly #standbys = new Map<string, { beat: StandbyBeat; heardMs: number }>();
  readonly #undo: (() => void)[] = [];
  #cancelBeat = (): void => {};

  constructor(options: OfficePresenceOptions) {
    this.#options = options;
    const { line, team, epoch, clock, onNewer } = options;
    const { beat, ask, standby } = officeSubjects(team);
    this.#undo.push(
      line.subscribe(beat, (_, bytes) => {
        const heard = OfficeBeatSchema.safeParse(valueOf(bytes));
        if (heard.success && heard.data.epoch > epoch) onNewer();
      }),
      line.subscribe(standby, (_, bytes) => {
        const heard = StandbyBeatSchema.safeParse(valueOf(bytes));
        if (!heard.success) return;
        const { incarnation } = heard.data;
        this.#standbys.set(incarnation, { beat: heard.data, heardMs: clock.steadyMs() });
      }),
      line.answer(ask, async (bytes) => encodeJson(this.#answer(valueOf(bytes)))),
    );
    this.#beatRegularly();
  }

  /** To be called when nothing is written here any more: that process follows at once. */
  handOverTo({ incarnation: to }: StandbyBeat): void {
    const { line, team } = this.#options;
    line.publish(officeSubjects(team).take, encodeJson({ to }));
  }

  /** A person has stopped the team. */
  sayStopped(): void {
    this.#beat({ stopped: true });
  }

  close(): void {
    this.#cancelBeat();
    for (const undo of this.#undo.splice(0)) undo();
  }

  #beatRegularly(): void {
    this.#beat({});
    this.#cancelBeat = this.#options.clock.after(OFFICE_BEAT_MS, () => this.#beatRegularly());
  }

  #beat(more: { stopped?: true }): void {
    const { line, team, name, epoch } = this.#options;
    line.publish(officeSubjects(team).beat, encodeJson({ epoch, name, ...more }));
  }

  get #present(): StandbyBeat[] {
    const sinceMs = this.#options.clock.steadyMs() - STANDBY_LOST_MS;
    return [...this.#standbys.values()].flatMap(({ beat, heardMs }) =>
      heardMs >= sinceMs ? [beat] : [],
    );
  }

  #answer(value: unknown): OfficeFacts | { error: ReturnType<typeof toWire> } {
    const asked = OfficeQuestionSchema.safeParse(value);
    try {
      if (asked.success) return this.#facts(asked.data);
      throw errorOf("invalid_request", "The office does not know this question.");
    } catch (error) {
      return { error: toWire(error) };
    }
  }

  #facts(question: OfficeQuestion): OfficeFacts {
    const { epoch, name, onMove } = this.#options;
    const present = this.#present;
    const facts = { epoch, name, standbys: present.map((each) => each.name) };
    if (question.type === "who") return facts;
    const { to: wanted } = question;
    const to = present.find((each) => wanted === undefined || each.name === wanted);
    if (!to) {
      const who = wanted === undefined ? "No machine" : `The machine ${wanted}`;
      throw errorOf("agent_unavailable", `${who} does not stand by to become the office.`, {
        hint: "Run there: switchboard up TEAM.yaml --bus URL --standby",
      });
    }
    // After the answer.
    setImmediate(() => onMove(to));
    return { ...facts, to: to.name };
  }
}

const valueOf = (bytes: Uint8Array): unknown => {
  const parsed = parseJson(bytes);
  return parsed.ok ? parsed.value : undefined;
};
