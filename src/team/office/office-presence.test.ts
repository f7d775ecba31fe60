import { expect, onTestFinished, test } from "vitest";
import { HandClock } from "../../../test/support/hand-clock.ts";
import type { NatsLine } from "../../nats/open-nats-line.ts";
import { encodeJson } from "../../wire/json-payload.ts";
import type { StandbyBeat } from "../../wire/office.ts";
import { askOffice } from "./ask-office.ts";
import { OfficePresence } from "./office-presence.ts";
import { officeSubjects } from "./office-subjects.ts";

type Listener = (subject: string, bytes: Uint8Array) => void;
type Answerer = (bytes: Uint8Array) => Promise<Uint8Array>;

/** One line that several processes share. */
function sharedLine(): Pick<NatsLine, "publish" | "subscribe" | "answer" | "ask"> {
  const listeners = new Map<string, Set<Listener>>();
  const answers = new Map<string, Answerer>();
  return {
    publish: (subject, bytes) => listeners.get(subject)?.forEach((each) => each(subject, bytes)),
    subscribe(subject, listener) {
      const known = listeners.get(subject) ?? new Set();
      listeners.set(subject, known.add(listener));
      return () => void known.delete(listener);
    },
    answer(subject, answer) {
      answers.set(subject, answer);
      return () => void answers.delete(subject);
    },
    ask: async (subject, bytes) => answers.get(subject)?.(bytes),
  };
}

function officeOn(line: ReturnType<typeof sharedLine>, epoch: number) {
  const clock = new HandClock();
  const moves: StandbyBeat[] = [];
  let newer = 0;
  const onNewer = (): void => void (newer += 1);
  const options = { line, team: "t", name: `m${epoch}`, epoch, clock, onNewer };
  const office = new OfficePresence({ ...options, onMove: (to) => void moves.push(to) });
  onTestFinished(() => office.close());
  return { clock, moves, newer: () => newer };
}

const standsBy = (line: ReturnType<typeof sharedLine>, name: string): void =>
  line.publish(officeSubjects("t").standby, encodeJson({ name, incarnation: `of ${name}` }));

test("an office answers who it is and who stands by, and forgets those that are silent", async () => {
  const line = sharedLine();
  const { clock } = officeOn(line, 3);
  standsBy(line, "m7");
  const facts = { epoch: 3, name: "m3" };
  expect(await askOffice(line, "t", { type: "who" })).toEqual({ ...facts, standbys: ["m7"] });
  clock.pass(4000);
  expect(await askOffice(line, "t", { type: "who" })).toEqual({ ...facts, standbys: [] });
});

test("an office moves only to a machine that stands by", async () => {
  const line = sharedLine();
  const { moves } = officeOn(line, 3);
  const refused = { code: "agent_unavailable" };
  await expect(askOffice(line, "t", { type: "move" })).rejects.toMatchObject(refused);
  standsBy(line, "m7");
  const other = askOffice(line, "t", { type: "move", to: "m8" });
  await expect(other).rejects.toMatchObject(refused);
  expect(await askOffice(line, "t", { type: "move", to: "m7" })).toMatchObject({ to: "m7" });
  await expect.poll(() => moves).toEqual([{ name: "m7", incarnation: "of m7" }]);
});

test("an office looks again when another one says that it has a higher epoch", () => {
  const line = sharedLine();
  const older = officeOn(line, 3);
  const newer = officeOn(line, 4);
  expect([older.newer(), newer.newer()]).toEqual([1, 0]);
});
