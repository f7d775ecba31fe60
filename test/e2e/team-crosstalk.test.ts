import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: crosstalk
lead: lead
agents:
  lead: { description: leads, prompt: You lead. }
  secretary: { description: knows, prompt: You know., workdir: work, tools: { allow: [Bash] } }
  slow: { description: looks up, prompt: You look up., workdir: work, tools: { allow: [Bash] } }
  writer: { description: writes, prompt: You write., workdir: work, tools: { allow: [Bash] } }
`;

const send = (to: string, content: string): string =>
  `{ name: mcp__team__send_message, input: { to: ${to}, content: ${content} } }`;
const until = (file: string): string =>
  `{ name: Bash, input: { command: "until [ -e ${file} ]; do sleep 0.1; done; echo it is time" } }`;

// Slow answers while the secretary works for writer. Files say when each may go on.
const script = `
rules:${roleRule}
  - when: { agent: lead, user: begin }
    tools: [${send("secretary", "What is the name of our bank")}, ${send("writer", "Write about us")}]
  - when: { agent: lead, tool_result: { text: /accepted/ } }
    text: I have asked both.
  - when: { agent: lead, peer: '/type: task_response[^]*?-----\\n([^]*?)\\n-----/' }
    text: "I was told: $1"
  - when: { agent: secretary, peer: What is the name of our bank }
    tools: [${send("slow", "Look up the bank")}]
  - when: { agent: secretary, tool_result: { text: /accepted/ } }
    text: I have asked slow.
  - when: { agent: slow, peer: Look up the bank }
    tools: [${until("salaries-begun")}]
  - when: { agent: slow, tool_result: Bash }
    text: The bank is BANKNAME.
  - when: { agent: writer, peer: Write about us }
    tools: [${until("slow-begun")}]
  - when: { agent: writer, tool_result: Bash }
    tools: [${send("secretary", "The salaries for my eyes only")}]
  - when: { agent: writer, tool_result: { text: /accepted/ } }
    text: I have asked for the salaries.
  - when: { agent: writer, peer: CONFIDENTIAL }
    text: It is written.
  - when: { agent: secretary, peer: The salaries for my eyes only }
    tools: [${until("answer-there")}]
  - when: { agent: secretary, tool_result: Bash }
    text: CONFIDENTIAL for writer, the salaries.
  - when: { agent: secretary, peer: BANKNAME }
    text: Our bank is BANKNAME.
default: { text: UNEXPECTED }
`;

const WITHIN_MS = 90_000;

test(
  "an answer in a turn about another task waits for its end, so that each asker gets its own answer",
  { timeout: 300_000 },
  async () => {
    const stage = new TeamStage(team, script);
    mkdirSync(stage.work);
    const say = (file: string): void => writeFileSync(join(stage.work, file), "");
    const run = await stage.up({
      ready: ["lead", "secretary", "slow", "writer"],
      log: "debug",
    });
    await using client = await run.connect();
    const since = run.told.length;
    const { rehearsal } = stage;
    const isAtWork = (agent: string, words: string): Promise<unknown> =>
      rehearsal.waitForRequest(
        (request) => request.agent === agent && request.new_peer_texts.join().includes(words),
        WITHIN_MS,
      );

    await client.request("send", { text: "begin" });
    await isAtWork("slow", "Look up the bank");
    // The secretary's turn about the bank is over before the salaries are asked for.
    await run.until("turn_ended", {
      since,
      fits: ({ agent }) => agent === "secretary",
      withinMs: WITHIN_MS,
    });
    say("slow-begun");
    await isAtWork("secretary", "The salaries for my eyes only");
    const claimed = run.logged("A message was claimed.", 0);
    say("salaries-begun");
    await run.until("message_sent", {
      since,
      fits: ({ message }) => message.from_agent === "slow",
      withinMs: WITHIN_MS,
    });
    await claimed;
    say("answer-there");
    await run.until("answered", { since, withinMs: WITHIN_MS });

    const answers = run.told.flatMap((event) =>
      event.type === "message_sent" &&
      event.message.from_agent === "secretary" &&
      event.message.reply_to !== null
        ? [[event.message.to_agent, event.message.content]]
        : [],
    );
    expect(answers).toEqual([
      ["writer", "CONFIDENTIAL for writer, the salaries."],
      ["lead", "Our bank is BANKNAME."],
    ]);
    // The model is told whom its text goes to.
    const asked = await stage.requests("secretary");
    const bank = asked.find(({ new_peer_texts }) => new_peer_texts.join().includes("BANKNAME"));
    expect(bank?.new_peer_texts.join()).toContain("is sent to lead as the answer");
    expect(await rehearsal.failures()).toEqual([]);
  },
);
