import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const noRoom = () => errorOf("disk_full", "No room.");

/** No agent serves such an inbox. */
const letterTo = (to_agent: string, fields: Partial<CCMessage> = {}): CCMessage =>
  messageOf({ id: randomUUID(), to_agent, ...fields });

/** As a request that the router has taken. */
async function sendWithTask(team: FakeTeam, letter: CCMessage): Promise<void> {
  const { bus, tasks } = team.running.teamRecords;
  const task = tasks.rowOf(letter, undefined, []);
  await bus.send(letter, { writes: [tasks.writeOf(task)] });
  tasks.add(task);
}

async function bury(team: FakeTeam, recipient: string): Promise<void> {
  const letters = await team.running.teamRecords.bus.claim(recipient, { max: 1000, waitMs: 0 });
  for (const letter of letters) await letter.term("no");
}

const untilDead = (team: FakeTeam, id: string): Promise<TeamEventOf<"message_moved">> =>
  team.until("message_moved", { fits: (event) => event.id === id && event.step === "dead" });

const noticesOf = (team: FakeTeam): string[] =>
  team.told.flatMap((event) => (event.type === "notice" ? [event.message] : []));

test("DeadLetterWatch reports an old message that died after many younger ones", async () => {
  const team = await FakeTeam.up(pair, {});
  const { bus } = team.running.teamRecords;
  const old = letterTo("ghost");
  const younger = Array.from({ length: 100 }, () => letterTo("other-ghost"));
  for (const letter of [old, ...younger]) await bus.send(letter);
  await bury(team, "other-ghost");
  for (const { id } of younger) await untilDead(team, id);
  await bury(team, "ghost");
  expect(await untilDead(team, old.id)).toMatchObject({ to_agent: "ghost", reason: "no" });
});

test("DeadLetterWatch informs a sender as soon as it can, and reports the trouble once", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "I see" });
  const { bus } = team.running.teamRecords;
  const letter = letterTo("ghost");
  await sendWithTask(team, letter);
  vi.spyOn(bus, "send").mockRejectedValueOnce(noRoom()).mockRejectedValueOnce(noRoom());
  await bury(team, "ghost");
  const { message } = await team.until("message_sent", {
    fits: (event) => event.message.reply_to === letter.id,
  });
  expect(message).toMatchObject({ type: "error", to_agent: "boss" });
  await untilDead(team, letter.id);
  await expect.poll(() => team.agent("boss").heard.join()).toContain("was not delivered to ghost");
  expect(noticesOf(team)).toEqual(["A sender was not told: No room."]);
});

test("DeadLetterWatch informs other senders although one cannot be informed", async () => {
  const team = await FakeTeam.up(pair, {});
  const { bus } = team.running.teamRecords;
  const [note, request] = [letterTo("ghost", { type: "info" }), letterTo("ghost")];
  await bus.send(note);
  await sendWithTask(team, request);
  const send = bus.send.bind(bus);
  vi.spyOn(bus, "send").mockImplementation((message, options) =>
    message.reply_to === request.id ? Promise.reject(noRoom()) : send(message, options),
  );
  await bury(team, "ghost");
  expect(await untilDead(team, note.id)).toMatchObject({ reason: "no" });
  vi.restoreAllMocks();
  expect(await untilDead(team, request.id)).toMatchObject({ reason: "no" });
});

test("DeadLetterWatch informs the sender of a note once, without starting a turn", async () => {
  const team = await FakeTeam.up(pair, {});
  const { bus, timeline } = team.running.teamRecords;
  const note = letterTo("ghost", { from_agent: "coder", type: "info" });
  await bus.send(note);
  // The process is killed before it has written down that this is told.
  const append = timeline.append.bind(timeline);
  vi.spyOn(timeline, "append").mockImplementation((draft, writes) => {
    if (draft.type !== "message_moved" || draft.step !== "dead") append(draft, writes);
  });
  await bury(team, "ghost");
  const told = `Your message ${note.id} was not delivered to ghost: no.`;
  const isTold = (event: TeamEventOf<"message_sent">): boolean => event.message.content === told;
  const { message } = await team.until("message_sent", { fits: isTold });
  expect(message).toMatchObject({ from_agent: "switchboard", to_agent: "coder", type: "info" });
  await team.stop();
  await team.start();
  await untilDead(team, note.id);
  await expect.poll(() => team.agent("coder").heard.join()).toContain(told);
  expect(team.agent("coder").turns).toBe(0);
  const notices = team.told.filter((event) => event.type === "message_sent" && isTold(event));
  expect(notices).toHaveLength(1);
});

test("`resend` of a dead letter is published though the team is killed at that moment", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "I see" }, { broken: ["coder"] });
  const { bus, timeline } = team.running.teamRecords;
  const letter = letterTo("coder");
  await sendWithTask(team, letter);
  await bury(team, "coder");
  await untilDead(team, letter.id);
  // What was about to be written is gone.
  const append = timeline.append.bind(timeline);
  vi.spyOn(timeline, "append").mockImplementation((draft, writes) => {
    if (draft.type !== "message_sent" && draft.type !== "task_changed") append(draft, writes);
  });
  const again = await team.running.resend(letter.id);
  expect(await bus.get(again?.id ?? "")).toMatchObject({ state: "waiting" });
  await team.stop();
  await team.start();
  await team.until("message_sent", { fits: ({ message }) => message.id === again?.id });
  expect(team.running.teamRecords.tasks.get(again?.id ?? "")).toMatchObject({ to_agent: "coder" });
});

test("`resend` that fails leaves no task behind", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "I see" }, { broken: ["coder"] });
  const letter = letterTo("coder");
  await sendWithTask(team, letter);
  await bury(team, "coder");
  await untilDead(team, letter.id);
  const { deadLetters } = team.running.teamRecords.bus;
  vi.spyOn(deadLetters, "resend").mockRejectedValueOnce(noRoom());
  await expect(team.running.resend(letter.id)).rejects.toMatchObject({ code: "disk_full" });
  await team.stop();
  await team.start();
  expect(team.running.teamRecords.tasks.open()).toEqual([]);
  expect(await team.running.resend(letter.id)).toMatchObject({ to_agent: "coder" });
  expect(team.running.teamRecords.tasks.open()).toMatchObject([{ to_agent: "coder" }]);
});
