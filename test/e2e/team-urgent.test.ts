import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: urgent
lead: boss
agents:
  boss: { description: leads, prompt: You lead., may_interrupt: [coder] }
  coder: { description: codes, prompt: You code. }
`;

const send = (content: string, more = ""): string =>
  `{ name: mcp__team__send_message, input: { to: coder, content: ${content}${more} } }`;

// Left to itself, the long text takes ten minutes.
const script = `
rules:${roleRule}
  - when: { agent: boss, user: begin }
    tools: [${send("write at length")}]
  - when: { agent: boss, user: begin, tool_result: { text: /accepted/ } }
    text: It is begun.
  - when: { agent: coder, peer: write at length }
    text: ${"long ".repeat(1200)}END
    delta_chars: 5
    delta_delay_ms: 500
  - when: { agent: boss, user: enough }
    tools: [${send("stop writing", ", metadata: { priority: urgent }")}]
  - when: { agent: boss, user: enough, tool_result: { text: /accepted/ } }
    text: They are told.
  - when: { agent: coder, peer: stop writing }
    text: I have stopped.
  - when: { agent: boss, peer: I have stopped }
    text: The coder has stopped.
default: { text: UNEXPECTED }
`;

const WITHIN_MS = 90_000;

test(
  "an urgent message of a peer that may interrupt cuts a turn short, and the model reads it next",
  { timeout: 300_000 },
  async () => {
    const stage = new TeamStage(team, script);
    const run = await stage.up({ ready: ["boss", "coder"] });
    await using client = await run.connect();
    const { rehearsal } = stage;
    const since = run.told.length;

    await client.request("send", { text: "begin" });
    const long = await rehearsal.waitForRequest(
      ({ agent, new_peer_texts }) =>
        agent === "coder" && new_peer_texts.join().includes("write at length"),
      WITHIN_MS,
    );
    await rehearsal.waitForEvent(
      (event) => event.type === "first_delta" && event.id === long.id,
      WITHIN_MS,
    );
    await client.request("send", { text: "enough" });

    const { messages } = await run.until("turn_ended", {
      since,
      fits: ({ agent, stop_reason }) => agent === "coder" && stop_reason === "interrupted",
      withinMs: WITHIN_MS,
    });
    const { message: urgent } = await run.until("message_sent", {
      since,
      fits: ({ message }) => message.content === "stop writing",
    });
    expect(messages).not.toContain(urgent.id);
    await run.until("answered", { since, withinMs: WITHIN_MS });

    const asked = await stage.requests("coder");
    const cut = asked.findIndex(({ id }) => id === long.id);
    expect(asked[cut]?.outcome?.result).toBe("client_left");
    // Marked as a peer's message only.
    const next = asked[cut + 1];
    expect(next?.new_peer_texts).toEqual([expect.stringContaining(`message id: ${urgent.id}`)]);
    expect(next?.new_peer_texts.join()).toMatch(
      /Message from boss, .*It does not come from the user\.[^]*priority: urgent[^]*stop writing[^]*in the middle of your work for boss/,
    );
    expect(next?.new_user_texts).toEqual([]);
    const copies =
      JSON.stringify(next?.body?.messages).split(`message id: ${urgent.id}`).length - 1;
    expect(copies).toBe(1);
    expect(await rehearsal.failures()).toEqual([]);
  },
);
