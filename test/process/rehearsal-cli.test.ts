import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../../src/rehearsal/journal.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { CliMessage } from "./rehearsal-process.ts";
import { converseWithCli, runCli, startRehearsalProcess } from "./rehearsal-process.ts";

function blocksOf(messages: CliMessage[], type: string): Record<string, unknown>[] {
  return messages
    .filter((message) => message.type === type)
    .flatMap(({ message }) => message?.content ?? []);
}

describe("the real CLI", () => {
  it("plays thinking, text, two parallel calls and what follows", async () => {
    const { url, client } = await startRehearsalProcess(`
delay_ms: [0, 200]
rules:
  - when: { agent: boss, user: '/count (?<what>\\w+)/' }
    thinking: Two commands will do.
    text: Let me look.
    tools:
      - { name: Bash, input: { command: "echo one \${what}" } }
      - { name: Bash, input: { command: "echo two \${what}" } }
  - when: { user: '/count (\\w+)/', tool_result: { name: Bash, text: '/two (\\w+)/' } }
    text: Counted $1, and $2 again, in turn \${turn}.
    usage: { input_tokens: 1234, output_tokens: 56 }
`);
    const messages = await runCli(url, "count sheep").messages;
    expect(blocksOf(messages, "assistant")).toMatchObject([
      { type: "thinking", thinking: "Two commands will do." },
      { type: "text", text: "Let me look." },
      { type: "tool_use", name: "Bash", input: { command: "echo one sheep" } },
      { type: "tool_use", name: "Bash", input: { command: "echo two sheep" } },
      { type: "text", text: "Counted sheep, and sheep again, in turn 2." },
    ]);
    expect(messages.at(-1)).toMatchObject({
      type: "result",
      is_error: false,
      result: "Counted sheep, and sheep again, in turn 2.",
    });
    const journal = await client.journal();
    expect(journal).toMatchObject([
      {
        kind: "main",
        agent: "boss",
        turn: 1,
        new_user_texts: ["count sheep"],
        outcome: { rule: 1 },
      },
      {
        kind: "main",
        turn: 2,
        user: "count sheep",
        new_user_texts: [],
        new_tool_results: [
          { name: "Bash", text: "one sheep" },
          { name: "Bash", text: "two sheep" },
        ],
        outcome: { rule: 2, result: "answered" },
      },
    ]);
    expect(journal[0]?.tools).toContain("Bash");
    expect(journal[0]?.session_id).toBe(journal[1]?.session_id);
    expect(await client.failures()).toEqual([]);
  });

  it.each([
    ["http, status: 400, message: no such thing", "API Error: 400 no such thing"],
    ["http, status: 401", "Invalid API key"],
    ["http, status: 403", "API Error: 403 Request not allowed"],
    ["http, status: 404", "There's an issue with the selected model"],
    ["http, status: 413", "Request too large"],
    ["http, status: 429, retry_after_s: 0", "429"],
    ["http, status: 500", "API Error: 500 Internal server error"],
    ["http, status: 529", "529 Overloaded"],
    ["reset", "ECONNRESET"],
    ["refuse, for_ms: 60000", "ECONNREFUSED"],
    // "Connection to the API was lost", or "Connection lost mid-response" when words had come before.
    ["cut", "Connection "],
    ["bad_json", "The response stream was malformed"],
    ["sse_error", "Server error mid-response"],
  ])("gets the fault %s", async (fault, words) => {
    const { url } = await startRehearsalProcess(
      `rules: [{ text: one two three, fault: { kind: ${fault} } }]`,
    );
    const messages = await runCli(url, "hello").messages;
    expect(messages.at(-1)?.result).toContain(words);
    expect(messages.at(-1)).toMatchObject({ type: "result", is_error: true });
  });

  it.each([
    ["text: half, stop_reason: max_tokens", true, "maximum"],
    ["stop_reason: refusal", true, "flagged this message"],
    ["fault: { kind: empty }", false, ""],
  ])("gets the odd end %s", async (answer, is_error, words) => {
    const { url, client } = await startRehearsalProcess(`rules: [{ ${answer} }]`);
    const messages = await runCli(url, "hello").messages;
    expect(messages.at(-1)).toMatchObject({ type: "result", is_error });
    expect(messages.at(-1)?.result).toContain(words);
    expect((await client.journal()).length).toBeGreaterThan(1);
  });

  it("gets over a fault that happens twice", async () => {
    const { url, client } = await startRehearsalProcess(`
rules:
  - { times: 2, fault: { kind: http, status: 500 } }
  - { text: here again }
`);
    const run = runCli(url, "hello", { CLAUDE_CODE_MAX_RETRIES: "3" });
    expect((await run.messages).at(-1)).toMatchObject({ is_error: false, result: "here again" });
    expect((await client.journal()).map(({ outcome }) => outcome?.result)).toEqual([
      "fault",
      "fault",
      "answered",
    ]);
  });

  it("tells a user and a peer apart, between turns and inside one", async () => {
    const { url, client } = await startRehearsalProcess(`
rules:
  - { when: { user: work }, tools: [{ name: Bash, input: { command: "sleep 1.2; echo done" } }] }
  - { when: { peer: '/ping (\\w+)/' }, text: pong $1 }
`);
    const { child, messages } = converseWithCli(url);
    const say = (content: string, more: object = {}): void =>
      void child.stdin?.write(
        `${JSON.stringify({ type: "user", message: { role: "user", content }, ...more })}\n`,
      );
    say("ping one", { isSynthetic: true });
    await client.waitForEvent(({ type }) => type === "finished", 20_000);
    say("work");
    await client.waitForEvent((event) => event.type === "finished" && event.id === 2, 20_000);
    say("ping two", { isSynthetic: true });
    say("how far are you?");
    await client.waitForEvent((event) => event.type === "finished" && event.id === 3, 20_000);
    child.stdin?.end();
    const results = (await messages).filter(({ type }) => type === "result");
    expect(results.map(({ result }) => result)).toEqual(["pong one", "pong two"]);
    expect(await client.journal()).toMatchObject([
      { new_user_texts: [], new_peer_texts: ["ping one"], turn: 1 },
      { new_user_texts: ["work"], new_peer_texts: [], turn: 2 },
      {
        new_user_texts: ["how far are you?"],
        new_peer_texts: ["ping two"],
        new_tool_results: [{ name: "Bash", text: "done" }],
        turn: 3,
      },
    ]);
  });

  it("compacts by the script's figures, which uses up no turn", async () => {
    const { url, client } = await startRehearsalProcess(`
default: { text: "\${user} \${turn}", usage: { input_tokens: 990000 } }
`);
    const { child, messages } = converseWithCli(url);
    // The second message comes after a summary, which is request 2.
    for (const [content, request] of [
      ["hello", 1],
      ["again", 3],
    ] as const) {
      child.stdin?.write(
        `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`,
      );
      const isNext = (event: JournalEvent): boolean =>
        event.type === "finished" && event.id === request;
      await client.waitForEvent(isNext, 20_000);
    }
    child.stdin?.end();
    expect((await messages).at(-1)?.result).toBe("again 2");
    expect(
      (await client.journal()).map(({ kind, turn, outcome }) => [kind, turn, outcome?.rule]),
    ).toEqual([
      ["main", 1, "default"],
      ["side", null, "built-in"],
      ["main", 2, "default"],
    ]);
  });

  it.each([
    ["first-turns.yaml", "look at note.txt", "note.txt begins with: first line"],
    [
      "first-turns.yaml",
      "hello",
      'I only know how to look at a file, and how to write a note. You said "hello".',
    ],
    ["bad-day.yaml", "say something", "I finally found my words."],
  ])("plays the example %s: %s", async (name, prompt, answer) => {
    const { url, client } = await startRehearsalProcess(
      readFileSync(join(import.meta.dirname, "../../examples/rehearsal", name), "utf8"),
    );
    const cwd = tempDir();
    writeFileSync(join(cwd, "note.txt"), "first line\nsecond line\n");
    const run = runCli(url, prompt, { CLAUDE_CODE_MAX_RETRIES: "5" }, cwd);
    expect((await run.messages).at(-1)?.result).toBe(answer);
    expect(await client.failures()).toEqual([]);
  });

  it("waits at a stalled stream until it is killed", async () => {
    const { url, client } = await startRehearsalProcess(
      "rules: [{ text: one two three, fault: { kind: stall } }]",
    );
    const { child, messages } = runCli(url, "hello");
    await client.waitForEvent(({ type }) => type === "first_delta", 20_000);
    expect((await client.journal())[0]?.outcome).toBeUndefined();
    child.kill("SIGKILL");
    await client.waitForEvent(({ type }) => type === "finished", 20_000);
    expect((await client.journal()).map(({ outcome }) => outcome)).toMatchObject([
      { result: "fault", fault: "stall" },
    ]);
    expect((await messages).map(({ type }) => type)).not.toContain("result");
  });

  it("is seen to leave in the middle of a slow answer", async () => {
    const { url, client } = await startRehearsalProcess(
      "default: { text: one two three four, delta_chars: 1, delta_delay_ms: 1000 }",
    );
    const { child } = runCli(url, "hello");
    await client.waitForEvent(({ type }) => type === "first_delta", 20_000);
    child.kill("SIGKILL");
    await client.waitForEvent(({ type }) => type === "finished", 20_000);
    expect((await client.journal())[0]?.outcome).toMatchObject({ result: "client_left" });
  });
});
