import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { connectSession } from "../../src/client/index.ts";
import type { AgentSocket, Home } from "../support/agent-socket-process.ts";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import { AttachedTerminal } from "../support/attached-terminal.ts";
import type { Line, SessionLineClient } from "../support/session-line-client.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const server = resolve(import.meta.dirname, "../fixtures/mcp/asking-server.ts");
const bin = resolve(import.meta.dirname, "../../bin/agent-socket.js");
const withinMs = 60_000;

const script = `
rules:
  - when: { user: '/(shop|old) (deploy|sign_in)/' }
    tools: [{ name: mcp__$1__$2, input: {} }]
  - when: { tool_result: { text: "/told (.*)/" } }
    text: "It was $1"
  - when: { tool_result: { text: "/./" } }
    text: "It failed."
default: { text: "Hello." }
`;

/** A session with a server of each version of the protocol: `shop` of the newest, `old` of the one before. */
function stage(...flags: string[]) {
  const home = newHome();
  const journal = join(home.root, "journal");
  const asking = (protocol: string) => ({
    command: process.execPath,
    args: [server, protocol, journal],
  });
  const config = join(home.root, "mcp.json");
  const mcpServers = { shop: asking("2026-07-28"), old: asking("2025-11-25") };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const args = ["--mcp-config", config, "--allowed-tools", "mcp__shop,mcp__old", ...flags];
  const host = startSession(home, writeScript(home, script), ...args);
  /** What the servers were told. */
  const told = (): unknown[] =>
    existsSync(journal)
      ? readFileSync(journal, "utf8")
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown)
      : [];
  return { home, host, args, told };
}

/** Says it, and waits until the server asks. */
async function asked(client: SessionLineClient, text: string): Promise<Line> {
  const since = client.told.length;
  client.send({ type: "message", text });
  return client.until("elicitation", { since, withinMs });
}

const content = { target: "staging", copies: 3 };

test(
  "[SES-79] [SES-80] [SES-82] a form and a page of an MCP server are answered by a person, by a program, by a line, and by nobody",
  { timeout: 120_000 },
  async () => {
    const observer = join(newHome().root, "observe.sock");
    const { host, told } = stage("--observe-socket", observer);
    const client = await host.connect();
    const { socket } = await host.ready;

    // A person at a terminal, whose answer goes to a server of the newest protocol.
    const terminal = new AttachedTerminal(socket);
    await terminal.sees("/help lists the commands.");
    const form = await asked(client, "shop deploy");
    expect(form).toMatchObject({
      server: "shop",
      mode: "form",
      message: "Where shall I deploy?",
      schema: { required: ["target", "copies"] },
      remaining_ms: expect.any(Number),
      call: expect.any(String),
    });
    await terminal.sees("y fill in the form");
    // Keys that come at once were meant for something else.
    await new Promise((done) => setTimeout(done, 600));
    terminal.type("y");
    await terminal.sees("Target (1 of 4)");
    terminal.type("2\r");
    await terminal.sees("A whole number; Enter: 2");
    terminal.type("\r");
    await terminal.sees("Hurry (3 of 4) (optional)");
    terminal.type("no\r");
    await terminal.sees("A text (email); Enter: leave it out");
    terminal.type("\r");
    await terminal.sees('It was {"kind":"elicit","action":"accept"');
    const filled = { target: "production", copies: 2, hurry: false };
    expect(told()).toEqual([
      { name: "deploy", told: { kind: "elicit", action: "accept", content: filled } },
    ]);
    const byPerson = await client.until("approval_resolved");
    expect(byPerson).toMatchObject({ request_id: form["request_id"], action: "accept" });
    expect(byPerson["by"]).toMatch(/tester/);

    // A program, and a server of the protocol before. What does not fit is refused by the name of its field.
    await using program = await connectSession(socket, { name: "robot" });
    const old = await asked(client, "old deploy");
    const id = String(old["request_id"]);
    await expect(program.respond(id, "accept", { target: "moon" })).rejects.toMatchObject({
      code: "invalid_params",
      message: expect.stringMatching(/target: must be one of .*copies: is missing|copies/),
    });
    const watcher = await connectSession(observer);
    await expect(watcher.respond(id, "accept", content)).rejects.toMatchObject({
      code: "read_only",
    });
    await watcher.close();
    await program.respond(id, "accept", content);
    await client.until("done", { since: client.told.indexOf(old), withinMs });
    expect(told().at(-1)).toEqual({
      name: "deploy",
      told: { kind: "elicit", action: "accept", content },
    });
    client.send({ type: "respond", request_id: id, action: "decline", ref: "late" });
    expect(await client.until("error", { fits: ({ ref }) => ref === "late" })).toMatchObject({
      code: "already_resolved",
      data: { by: "robot" },
    });

    // A page; the lines of a script answer it.
    const page = await asked(client, "shop sign_in");
    expect(page).toMatchObject({ mode: "url", url: "https://shop.example/sign-in?code=7" });
    const piped = await execa(process.execPath, [bin, "attach", socket], {
      input: "/respond accept\n",
    });
    expect(piped.stderr).toContain("https://shop.example/sign-in?code=7");
    await client.until("done", { since: client.told.indexOf(page), withinMs });
    expect(told().at(-1)).toEqual({ name: "sign_in", told: { kind: "elicit", action: "accept" } });

    // Nobody: the time is over, and the server is told.
    for (const text of ["shop deploy", "old deploy"]) {
      const open = await asked(client, text);
      client.send({ type: "hold", request_id: open["request_id"], ms: 200 });
      const since = client.told.indexOf(open);
      const outcome = await client.until("approval_resolved", { since, withinMs });
      expect(outcome).toMatchObject({ outcome: "timed_out", action: "cancel" });
      await client.until("done", { since, withinMs });
      expect(told().at(-1)).toEqual({ name: "deploy", told: { kind: "elicit", action: "cancel" } });
    }
  },
);

test(
  "[SES-81] an open form ends with its turn, its CLI and its host, and is never silently gone",
  { timeout: 120_000 },
  async () => {
    const { home, host, args } = stage();
    const client = await host.connect();
    for (const text of ["shop deploy", "old deploy"]) {
      const open = await asked(client, text);
      const since = client.told.indexOf(open);
      client.send({ type: "abort" });
      const end = await client.until("approval_resolved", { since, withinMs });
      expect(end).toMatchObject({ request_id: open["request_id"], outcome: "aborted" });
      expect(await client.until("done", { since, withinMs })).toMatchObject({
        stop_reason: "aborted",
      });
    }

    const beforeKill = await asked(client, "shop deploy");
    process.kill(cliPidOf({ configDir: home.root }), "SIGKILL");
    const since = client.told.indexOf(beforeKill);
    expect(await client.until("approval_resolved", { since, withinMs })).toMatchObject({
      request_id: beforeKill["request_id"],
      outcome: "superseded",
    });
    await client.until("done", {
      since,
      withinMs,
      fits: ({ stop_reason }) => stop_reason === "completed",
    });

    const beforeDeath = await asked(client, "old deploy");
    const { session_id } = await host.ready;
    await host.end("SIGKILL");
    const next = resume(home, session_id, args);
    const again = await next.connect();
    again.send({ type: "attach", since: Number(beforeDeath.seq) });
    expect(await again.until("approval_resolved", { withinMs })).toMatchObject({
      request_id: beforeDeath["request_id"],
      outcome: "superseded",
    });
    await again.until("done", { withinMs, fits: (done) => done["stop_reason"] === "completed" });
    again.send({ type: "status" });
    expect(await again.until("status", { fits: ({ seq }) => seq === undefined })).toMatchObject({
      pending: [],
    });
  },
);

const resume = (home: Home, id: string, args: readonly string[]): AgentSocket =>
  startSession(home, join(home.root, "script.yaml"), "--resume", id, ...args);
