import { expect, test } from "vitest";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import type { PlainLine } from "../../../test/support/plain-team-client.ts";
import { PlainTeamClient } from "../../../test/support/plain-team-client.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

/** A team whose lead asks for leave to run what it is told, and two people. */
async function twoPeople() {
  const team = await FakeTeam.up(yaml, {
    boss: (said, self) => self.askLeave("Bash", { command: said }, 600_000),
  });
  const anna = await PlainTeamClient.connect(team);
  await anna.result("hello", { client: "anna" });
  const bob = await PlainTeamClient.connect(team);
  await bob.result("hello", { client: "bob" });
  const requestAbout = async (text: string): Promise<string> => {
    const since = anna.told.length;
    await anna.result("send", { text });
    const { request } = await anna.until("approval_requested", { since });
    return (request as { request_id: string }).request_id;
  };
  return { team, anna, bob, requestAbout };
}

const about = (request_id: string) => ({
  fits: (line: PlainLine) => line["request_id"] === request_id,
});

const dataOf = ({ error }: PlainLine): unknown => (error as { data: unknown } | undefined)?.data;

test("[TEAM-8] [TEAM-20] of two decisions at the same time the first wins, the record has its name, and the second is told so", async () => {
  const { anna, bob, requestAbout } = await twoPeople();
  for (let round = 0; round < 6; round += 1) {
    const request_id = await requestAbout(`run ${round}`);
    const decide = [
      () => anna.ask(request_id, "approve", { request_id }),
      () => bob.ask(request_id, "deny", { request_id }),
    ];
    if (round % 2 === 1) decide.reverse();
    const answers = await Promise.all(decide.map((each) => each()));
    const { outcome, by } = await anna.until("approval_resolved", about(request_id));
    expect([outcome, by]).toEqual(by === "anna" ? ["allowed", "anna"] : ["denied", "bob"]);
    const losers = answers.filter(({ error }) => error !== undefined);
    expect(losers.map(dataOf)).toEqual([
      expect.objectContaining({ code: "already_resolved", agent_id: "boss", outcome, by }),
    ]);
  }
});

test("[TEAM-20] a decision right after the answer to another one is `already_resolved`", async () => {
  const { team, anna, bob, requestAbout } = await twoPeople();
  const { session } = team.agent("boss");
  const request_id = await requestAbout("ls");
  // The answer is there before the event.
  const { onCommand } = session;
  session.onCommand = (command, client) => {
    client.answer(command, "ok");
    if (command.type === "approve") setTimeout(() => onCommand(command, client), 50);
  };
  await anna.result("approve", { request_id });
  for (const method of ["approve", "deny", "hold"]) {
    expect(
      await bob.refusal(method, { request_id, ...(method === "hold" && { ms: 5000 }) }),
    ).toMatchObject({
      data: { code: "already_resolved", agent_id: "boss", outcome: "allowed", by: "anna" },
    });
  }
  expect(await bob.until("approval_resolved", about(request_id))).toMatchObject({ by: "anna" });
});

test("[TEAM-20] a decision right after one that another client of the session made is `already_resolved`", async () => {
  const { team, anna, bob, requestAbout } = await twoPeople();
  const { session } = team.agent("boss");
  const request_id = await requestAbout("ls");
  session.happen({ type: "approval_resolved", request_id, outcome: "denied", by: "carol" });
  const answers: unknown[] = [];
  const isTold = bob.until("approval_resolved", about(request_id)).then(() => true);
  for (let told = false; !told; told = await Promise.race([isTold, Promise.resolve(false)])) {
    answers.push(dataOf(await anna.ask(answers.length, "approve", { request_id })));
  }
  expect(answers).not.toEqual([]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ code: "already_resolved", outcome: "denied", by: "carol" });
  }
});

test("[TEAM-20] a decision on a request that ended without one is told so", async () => {
  const { team, anna, bob, requestAbout } = await twoPeople();
  const request_id = await requestAbout("ls");
  team.agent("boss").session.happen({ type: "approval_resolved", request_id, outcome: "aborted" });
  await bob.until("approval_resolved", about(request_id));
  expect(await anna.refusal("approve", { request_id })).toMatchObject({
    message: "The request was aborted before.",
    data: { code: "already_resolved", hint: expect.stringMatching(/^Nobody decided it/) },
  });
  const id = "11111111-1111-4111-8111-111111111111";
  expect(await anna.refusal("message", { id })).toMatchObject({
    data: { code: "unknown_request", hint: expect.stringContaining("switchboard log") },
  });
});

test("[TEAM-21] when two people move a deadline at the same time, each move has its own name", async () => {
  const { anna, bob, requestAbout } = await twoPeople();
  const request_id = await requestAbout("ls");
  const since = anna.told.length;
  const times = { anna: 700_000, bob: 800_000 };
  await Promise.all([
    anna.result("hold", { request_id, ms: times.anna }),
    bob.result("hold", { request_id, ms: times.bob }),
  ]);
  for (const [by, remaining_ms] of Object.entries(times)) {
    const fits = (line: PlainLine) =>
      Math.abs(Number(line["remaining_ms"]) - remaining_ms) < 50_000;
    expect(await anna.until("approval_held", { since, fits })).toMatchObject({ by });
  }
});

test("[TEAM-20] a decision whose answer was lost keeps its name, whoever decides next", async () => {
  const { team, anna, bob, requestAbout } = await twoPeople();
  const { session } = team.agent("boss");
  const request_id = await requestAbout("ls");
  const { onCommand } = session;
  // The disk has refused the decision for now; it holds all the same.
  session.onCommand = (command, client) => {
    if (command.type !== "approve") return onCommand(command, client);
    const refused = { code: "log_write_failed", message: "full", hint: "", retryable: true };
    client.answer(command, "error", refused);
  };
  expect(await anna.refusal("approve", { request_id })).toMatchObject({
    data: { code: "log_write_failed" },
  });
  session.onCommand = (command, client) => {
    if (command.type !== "deny") return onCommand(command, client);
    const data = { outcome: "allowed", by: "switchboard" };
    const refused = {
      code: "already_resolved",
      message: "before",
      hint: "",
      retryable: false,
      data,
    };
    client.answer(command, "error", refused);
  };
  expect(await bob.refusal("deny", { request_id })).toMatchObject({
    data: { code: "already_resolved", outcome: "allowed", by: "anna" },
  });
  session.happen({ type: "approval_resolved", request_id, outcome: "allowed", by: "switchboard" });
  expect(await bob.until("approval_resolved", about(request_id))).toMatchObject({ by: "anna" });
});
