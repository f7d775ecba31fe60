import { setTimeout as delay } from "node:timers/promises";
import type { TeamClient } from "../../../src/team/core.ts";

/** A team in which a task has parts that wait for each other, and one agent may have one turn. */
export const storyTeam = `
name: works
lead: boss
confirm_roles: false
timeouts: { idle: 3600 }
budget: { usd: 100 }
agents:
  boss: { description: leads the work, prompt: You lead., may_message: [coder, tester] }
  coder: { description: writes programs, prompt: You write., may_message: [boss] }
  tester: { description: tests programs, prompt: You test., may_message: [boss], budget: { turns: 1 } }
  spare: { description: helps out, prompt: You help., may_message: [boss] }
`;

const send = (to: string, content: string, metadata: string): string =>
  `{ name: mcp__team__send_message, input: { to: ${to}, content: "${content}", metadata: ${metadata} } }`;

/**
 * "Build it": the boss gives a part to the coder, who waits for a person, and a part to the tester that depends on the
 * first; a third expires meanwhile. The tester then speaks to somebody to whom no rule lets it speak.
 */
export const storyScript = `
rules:
  - when: { agent: boss, user: build it }
    text: I split it.
    tools: [${send("coder", "write the part", "{ priority: high }")}]
  - when: { agent: boss, user: build it, tool_result: { text: '/"message_id":\\s*"([0-9a-f-]+)"/' } }
    times: 1
    tools:
      - ${send("tester", "test the part", '{ depends_on: ["$1"] }')}
      - ${send("coder", "hurry up", "{ ttl: 1 }")}
  - when: { agent: boss, user: build it, tool_result: { text: /message_id/ } }
    text: All is asked for.
  - when: { agent: coder, peer: write the part }
    text: I write it.
    tools: [{ name: Bash, input: { command: touch part } }]
  - when: { agent: coder, tool_result: Bash }
    text: The part is written.
  - when: { agent: tester, peer: test the part }
    tools: [${send("coder", "well done", "{}")}]
  - when: { agent: tester, tool_result: { is_error: true } }
    text: The part is tested.
default: { text: Very well. }
`;

/** Waits until what is read says something. @throws after a minute, with what was read last. */
export async function until<Read>(
  read: () => Promise<Read>,
  holds: (read: Read) => boolean,
): Promise<Read> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await read();
    if (holds(found)) return found;
    if (performance.now() > deadline) throw new Error(`Not in time: ${JSON.stringify(found)}`);
    await delay(50);
  }
}

/** The id of the call that waits for a person. */
export async function openCall(team: TeamClient): Promise<string> {
  const { approvals } = await until(
    () => team.request("approvals", {}),
    (read) => read.approvals.length > 0,
  );
  return approvals[0]?.request.request_id ?? "";
}
