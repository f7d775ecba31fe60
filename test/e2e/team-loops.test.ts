import { expect, test } from "vitest";
import type { TeamEvent } from "../../src/wire/team/events.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

// It starts many processes, which a busy machine is slow at.
const SLOW_MS = 300_000;

const team = `
name: loops
lead: a
limits: { messages_per_root: 12 }
agents:
  a: { description: first, prompt: You are a. }
  b: { description: second, prompt: You are b. }
  c: { description: third, prompt: You are c. }
`;

const send = (to: string, content: string, more = ""): string =>
  `tools: [{ name: mcp__team__send_message, input: { to: ${to}, content: '${content}'${more} } }]`;

// A triangle that never repeats a pair in a row, and two agents that thank each other for ever.
const script = `
rules:${roleRule}
  - when: { tool_result: { is_error: true } }
    text: I stop here.
  - when: { agent: a, user: triangle }
    ${send("b", "pass it on")}
  - when: { agent: a, peer: pass it on }
    ${send("b", "pass it on")}
  - when: { agent: b, peer: pass it on }
    ${send("c", "pass it on")}
  - when: { agent: c, peer: pass it on }
    ${send("a", "pass it on")}
  - when: { agent: a, user: be polite }
    ${send("b", "thank you")}
  - when: { agent: a, peer: you are welcome }
    ${send("b", "thank you")}
  - when: { agent: b, peer: thank you }
    text: you are welcome
default: { text: Very well. }
`;

/** Plays the team to its end, which has to be a good one; returns all events. */
async function simulate(stage: TeamStage, ...flags: string[]): Promise<TeamEvent[]> {
  const files = [stage.teamFile, stage.scriptFile];
  const { code, out, err } = await stage.run(
    "simulate",
    ...files,
    "--allow-refusals",
    "--json",
    ...flags,
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TeamEvent);
}

const refusals = (events: readonly TeamEvent[]) =>
  events.flatMap((event) => (event.type === "refused" ? [event] : []));

/** Whoever was refused has read it and ended its turn; nobody had another one that came of the storm. */
function judgeStop(events: readonly TeamEvent[], refusal: TeamEvent): void {
  const rest = events.slice(events.indexOf(refusal));
  const answered = rest.findIndex((event) => event.type === "answered");
  const after = rest.slice(0, answered + 1);
  expect(answered).toBeGreaterThan(-1);
  const turns = after.flatMap((event) => (event.type === "turn_started" ? [event.agent] : []));
  // What was asked for before the stop is still answered: so one turn for each agent, at most.
  expect(turns).toEqual([...new Set(turns)]);
  const sent = after.flatMap((event) =>
    event.type === "message_sent" ? [event.message.type] : [],
  );
  expect(sent.filter((type) => type === "task_request")).toEqual([]);
}

test(
  "agents in a circle, and agents that thank each other for ever, are stopped with an error",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(team, script);
    const events = await simulate(stage, "--send", "triangle", "--send", "be polite");
    const [circle, politeness, ...others] = refusals(events);
    expect(others).toEqual([]);
    if (!circle || !politeness) throw new Error("Nobody was stopped.");
    // From a to b, to c and back to a, which may ask its asker something; not on to b again.
    expect(circle).toMatchObject({
      from_agent: "a",
      to_agent: "b",
      error: { code: "loop_stopped", data: { limit: "cycle" } },
    });
    expect(politeness).toMatchObject({
      from_agent: "a",
      to_agent: "b",
      error: { code: "loop_stopped", data: { limit: "messages_per_root" } },
    });
    for (const refusal of [circle, politeness]) judgeStop(events, refusal);
    // The sender's model has read why; people see it in the timeline, and in the count.
    const toldModel = events.flatMap((event) =>
      event.type === "tool_ended" && event.is_error ? [`${event.agent}: ${event.summary}`] : [],
    );
    expect(toldModel).toEqual([
      expect.stringMatching(/^a: Error -32004 \(loop_stopped\)/),
      expect.stringMatching(/^a: Error -32004 \(loop_stopped\)/),
    ]);
    const sent = events.filter((event) => event.type === "message_sent");
    // The circle is closed at the fourth step; the politeness has its dozen, and the one answer that was due.
    expect(sent.length).toBeLessThanOrEqual(8 + 13);
    expect(stage.processes()).toEqual([]);
  },
);

// A lead that is never content, and an agent that cannot stop talking in its one turn.
const endless = `
name: endless
lead: a
limits: { messages_per_root: 9, per_pair_per_minute: 7 }
agents:
  a: { description: first, prompt: You are a. }
  b: { description: second, prompt: You are b. }
  c: { description: third, prompt: You are c. }
`;

const endlessScript = `
rules:${roleRule}
  - when: { agent: a, tool_result: { is_error: true } }
    text: I stop here.
  - when: { agent: b, tool_result: { is_error: true } }
    text: "b was refused"
  - when: { agent: a, user: never content }
    ${send("b", "do it well")}
  - when: { agent: a, peer: b is done }
    ${send("c", "do it better")}
  - when: { agent: a, peer: c is done }
    ${send("b", "do it well")}
  - when: { agent: b, peer: do it well }
    text: b is done
  - when: { agent: c, peer: do it better }
    text: c is done
  - when: { agent: a, user: chat }
    ${send("b", "tell c all you know")}
  - when: { agent: b, peer: tell c all }
    ${send("c", "did you know?", ", type: info")}
  - when: { agent: b, tool_result: { text: /accepted/ } }
    ${send("c", "did you know?", ", type: info")}
  - when: { agent: a, peer: "/(b was refused)/" }
    text: "In the end: $1"
default: { text: Very well. }
`;

test(
  "budgets stop a lead that delegates and a pair that chats for ever, at most one turn too late",
  { timeout: SLOW_MS },
  async () => {
    const stage = new TeamStage(endless, endlessScript);
    const sends = ["--send", "never content", "--send", "chat"];
    const events = await simulate(stage, ...sends, "--expect", "In the end: b was refused");
    const [delegating, chatting] = refusals(events);
    expect(refusals(events)).toHaveLength(2);
    expect(delegating).toMatchObject({ from_agent: "a", error: { code: "loop_stopped" } });
    expect(chatting).toMatchObject({
      from_agent: "b",
      to_agent: "c",
      error: { code: "rate_limited", data: { retry_after: expect.any(Number), limit: 7 } },
    });
    // The model has read the number and the time, and nobody had more than the turn it was in.
    const toldModel = events.filter((event) => event.type === "tool_ended" && event.is_error);
    expect(toldModel).toMatchObject([
      { agent: "a", summary: expect.stringContaining("Error -32004 (loop_stopped)") },
      { agent: "b", summary: expect.stringContaining("Error -32002 (rate_limited)") },
    ]);
    for (const refusal of refusals(events)) judgeStop(events, refusal);
    const turnsOf = (agent: string) =>
      events.filter((event) => event.type === "turn_started" && event.agent === agent).length;
    // The role check, four pieces of work each at most, one turn of chat; the news to c start none.
    expect(turnsOf("b")).toBeLessThanOrEqual(1 + 3 + 1);
    expect(turnsOf("c")).toBeLessThanOrEqual(1 + 2);
    expect(stage.processes()).toEqual([]);
  },
);
