import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import { AttachedTerminal } from "../support/attached-terminal.ts";
import type { Line } from "../support/session-line-client.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
/** Keys that come sooner after a request were meant for something else. */
const HEED_MS = 600;

const script = (path: string): string => `
rules:
  - when: { tool_result: { name: Read, text: "/./" } }
    text: "I have read it."
  - when: { tool_result: { name: Edit, text: "/./" } }
    text: "That was the edit."
  - when: { tool_result: { name: Bash, text: "/./" } }
    text: "The work is over."
  - when: { user: "look" }
    tools: [{ name: Read, input: { file_path: "${path}" } }]
  - when: { user: "edit it" }
    tools: [{ name: Edit, input: { file_path: "${path}", old_string: "two", new_string: "zwei" } }]
  - when: { user: "work" }
    tools: [{ name: Bash, input: { command: "until [ -e go ]; do sleep 0.1; done" } }]
default: { text: "I have heard you." }
`;

test(
  "attach shows a person what an edit would change before it is allowed, takes back and changes messages that wait, and finds them",
  { timeout: 120_000 },
  async () => {
    const home = newHome();
    const path = join(home.cwd, "notes.txt");
    writeFileSync(path, "one\ntwo\nthree\n");
    const flags = ["--allowed-tools", "Bash(until *)"];
    const host = startSession(home, writeScript(home, script(path)), ...flags);
    const { socket } = await host.ready;
    const client = await host.connect();
    const terminal = new AttachedTerminal(socket);
    const enter = (line: string): void => terminal.type(`${line}\r`);
    await terminal.sees("/help lists the commands.");
    enter("look");
    await terminal.sees("I have read it.");

    // The change, with its line numbers, before anything has happened to the file.
    enter("edit it");
    const request = await client.until("approval_request");
    for (const row of ["+1 -1", "1   one", "2 - two", "2 + zwei", "3   three"]) {
      await terminal.sees(row);
    }
    await terminal.sees("y ");
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\n");
    expect(client.told.filter(({ type }) => type === "approval_resolved")).toEqual([]);
    await new Promise((done) => setTimeout(done, HEED_MS));
    terminal.type("y");
    await terminal.sees("That was the edit.");
    expect(readFileSync(path, "utf8")).toBe("one\nzwei\nthree\n");
    expect(await client.until("approval_resolved")).toMatchObject({
      request_id: request["request_id"],
      outcome: "allowed",
      by: "tester",
    });

    // Three messages wait: one is taken back, one is changed, one stays.
    enter("work");
    await client.until("tool_use", { fits: ({ tool }) => tool === "Bash" });
    for (const [index, words] of ["first wish", "second wish", "third wish"].entries()) {
      enter(words);
      await terminal.sees(`${index + 1} queued`);
    }
    enter("/queue");
    await terminal.sees("1  first wish");
    await terminal.sees("3  third wish");
    enter("/drop 9");
    await terminal.sees("Give a number from 1 to 3");
    enter("/drop 2");
    await terminal.sees("2 queued");
    enter("/edit 1");
    await terminal.sees("1 queued");
    await terminal.sees("first wish");
    enter(", but blue");
    await terminal.sees("2 queued");
    writeFileSync(join(home.cwd, "go"), "");
    await terminal.sees("The work is over.");
    const textOf = (id: unknown): unknown =>
      client.told.find((line) => line.type === "user_message" && line["id"] === id)?.["text"];
    const textsOf = (type: string): unknown[] =>
      client.events.filter((line) => line.type === type).map(({ id }) => textOf(id));
    await expect
      .poll(() => textsOf("message_seen").slice(-2), { timeout: 30_000 })
      .toEqual(["third wish", "first wish, but blue"]);
    expect(textsOf("message_dropped")).toEqual(["second wish", "first wish"]);
    expect(textsOf("message_seen")).not.toContain("second wish");
    const dropped = client.events.filter(({ type }) => type === "message_dropped");
    expect(dropped.map(({ by }: Line) => by)).toEqual(["tester", "tester"]);
    await expect
      .poll(async () => (await client.ask({ type: "status" }))["state"], { timeout: 30_000 })
      .toBe("idle");
    enter("/drop");
    await terminal.sees("No message waits.");

    // Found in the log, the newest last; what stands nowhere is said so.
    enter("/find WISH");
    await terminal.sees("message: first wish");
    await terminal.sees("message: second wish");
    await terminal.sees("message: third wish");
    await terminal.sees("message: first wish, but blue");
    enter("/find zwei");
    await terminal.sees("call: ");
    enter("/find nowhere at all");
    await terminal.sees('"nowhere at all" is not in the log.');
    terminal.type(`${CTRL_C}${CTRL_D}`);
    expect(await terminal.exitCode()).toBe(0);
    await host.end("SIGTERM");
  },
);
