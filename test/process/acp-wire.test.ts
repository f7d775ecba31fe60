import { once } from "node:events";
import { expect, test, vi } from "vitest";
import type { Home } from "../support/agent-socket-process.ts";
import { newHome, writeScript } from "../support/agent-socket-process.ts";
import { startFace } from "../support/acp/acp-editor.ts";
import type { AgentLine } from "../support/acp/schema-faults.ts";
import { mustBeValid } from "../support/acp/schema-faults.ts";
import { processesOf } from "../support/stage-processes.ts";

// The traps of ACP's conformance kit (acp-tck), and what a hostile or broken editor sends: raw lines, no client library.

interface Answer extends AgentLine {
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

class RawEditor {
  readonly lines: Answer[] = [];
  readonly #asked = new Map<unknown, string>();
  readonly face: ReturnType<typeof startFace>;
  #nextId = 1;
  #rest = "";

  constructor(home: Home, args: readonly string[] = []) {
    this.face = startFace(home, args);
    this.face.child.stdout.on("data", (chunk) => {
      const parts = (this.#rest + String(chunk)).split("\n");
      this.#rest = parts.pop() ?? "";
      for (const part of parts) this.lines.push(JSON.parse(part) as Answer);
    });
  }

  raw(text: string): void {
    this.face.child.stdin.write(text);
  }

  async ask(method: string, params?: unknown): Promise<Answer> {
    const id = (this.#nextId += 1);
    this.#asked.set(id, method);
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return this.until((line) => line.id === id && line.method === undefined, method);
  }

  notify(method: string, params?: unknown): void {
    this.raw(`${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`);
  }

  async until(fits: (line: Answer) => boolean, what: string): Promise<Answer> {
    return vi
      .waitUntil(() => this.lines.find(fits), { timeout: 60_000, interval: 10 })
      .catch(() => {
        throw new Error(`no answer to ${what}: ${JSON.stringify(this.lines).slice(-500)}`);
      });
  }

  initialize(protocolVersion: unknown = 1): Promise<Answer> {
    return this.ask("initialize", { protocolVersion, clientCapabilities: {} });
  }

  /** Closes its end. Resolves with the exit code. */
  async end(): Promise<number | null> {
    this.face.child.stdin.end();
    const [code] = (await this.face.ended) as [number | null];
    const own = this.lines.filter(({ id }) => id !== null);
    mustBeValid(own, this.#asked);
    return code;
  }
}

test("`agent-socket acp` answers `initialize` with its own newest version, whatever is asked for, and ends soon after the input", async () => {
  const editor = new RawEditor(newHome());
  for (const version of [65_535, 1, 2]) {
    const { result } = await editor.initialize(version);
    expect(result).toMatchObject({ protocolVersion: 1, authMethods: [] });
  }
  const startedMs = performance.now();
  expect(await editor.end()).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test("`agent-socket acp` answers what came before the end of its input", async () => {
  const editor = new RawEditor(newHome());
  editor.raw(
    `${JSON.stringify({ jsonrpc: "2.0", id: "a", method: "initialize", params: { protocolVersion: 1 } })}\n`,
  );
  editor.face.child.stdin.end();
  await editor.face.ended;
  expect(editor.lines).toMatchObject([{ id: "a", result: { protocolVersion: 1 } }]);
});

test("`agent-socket acp` answers every wrong line with an error, starts nothing for it, and goes on", async () => {
  const home = newHome();
  const editor = new RawEditor(home);
  expect((await editor.ask("session/new", { cwd: home.cwd, mcpServers: [] })).error?.code).toBe(
    -32600,
  );
  await editor.initialize();

  // A batch has one answer, and nothing of it is done.
  const before = editor.lines.length;
  editor.raw(
    '[{"jsonrpc":"2.0","id":900,"method":"session/list","params":{}},{"jsonrpc":"2.0","id":901,"method":"x"}]\n',
  );
  expect(await editor.until(({ id }) => id === null, "batch")).toMatchObject({
    error: { code: -32600 },
  });
  for (const line of [
    "nonsense\n",
    '"text"\n',
    "17\n",
    "null\n",
    "[]\n",
    "{}\n",
    '{"jsonrpc":"1.0"}\n',
    "\n \r\n",
    '{"id":{}}\n',
    `{"jsonrpc":"2.0","id":null,"method":"\u2028"}\n`,
  ]) {
    editor.raw(line);
  }
  editor.raw(Buffer.from([0xff, 0xfe, 0x0a]).toString("latin1"));

  const numbers: [method: string, params: unknown, code: number][] = [
    ["no/such/method", {}, -32601],
    ["_vendor/extension", {}, -32601],
    ["fs/read_text_file", {}, -32601],
    ["authenticate", { methodId: "none" }, -32602],
    ["authenticate", {}, -32602],
    ["session/new", undefined, -32602],
    ["session/new", { cwd: 7, mcpServers: [] }, -32602],
    ["session/new", { cwd: "relative", mcpServers: [] }, -32602],
    ["session/new", { cwd: "/does/not/exist", mcpServers: [] }, -32022],
    ["session/new", { cwd: home.cwd, mcpServers: "none" }, -32602],
    ["session/prompt", { sessionId: "none", prompt: [{ type: "text", text: "x" }] }, -32002],
    ["session/prompt", { sessionId: "none", prompt: "x" }, -32602],
    ["session/set_mode", { sessionId: "none", modeId: "plan" }, -32002],
    ["session/close", { sessionId: "none" }, -32002],
    ["session/load", { sessionId: "../../etc", cwd: home.cwd, mcpServers: [] }, -32002],
    ["session/list", { cursor: "-1" }, -32602],
    ["session/fork", { sessionId: 1 }, -32602],
  ];
  for (const [method, params, code] of numbers) {
    const { error } = await editor.ask(method, params);
    expect({ method, params, code: error?.code }).toEqual({ method, params, code });
  }
  editor.notify("session/cancel", { sessionId: "none" });
  editor.notify("session/cancel", 5);
  editor.notify("$/cancel_request", { requestId: 9_999 });
  editor.notify("_vendor/notification", {});
  editor.raw('{"jsonrpc":"2.0","id":4711,"result":{}}\n');
  expect((await editor.initialize()).result).toMatchObject({ protocolVersion: 1 });
  const ids = editor.lines
    .slice(before)
    .flatMap(({ id }) => (id === 900 || id === 901 ? [id] : []));
  expect(ids).toEqual([]);
  // Nothing but errors without an id, and answers.
  expect(editor.lines.filter(({ method }) => method !== undefined)).toEqual([]);
  expect(await editor.end()).toBe(0);
  expect(processesOf({ configDir: home.root })).toEqual([]);
});

test("`agent-socket acp` that gets SIGTERM leaves its session, which ends by its linger time", async () => {
  const home = newHome();
  const flags = [
    "--rehearsal",
    writeScript(home, "default: { text: hello }"),
    "--linger-ms",
    "1500",
  ];
  const editor = new RawEditor(home, flags);
  await editor.initialize();
  const { result } = await editor.ask("session/new", { cwd: home.cwd, mcpServers: [] });
  expect(result?.["sessionId"]).toMatch(/^[\da-f-]{36}$/);
  editor.face.child.kill("SIGTERM");
  const [code] = (await editor.face.ended) as [number | null];
  expect(code).toBe(0);
  expect(processesOf({ configDir: home.root }).length).toBeGreaterThan(0);
  await vi.waitUntil(() => processesOf({ configDir: home.root }).length === 0, {
    timeout: 30_000,
    interval: 200,
  });
});

const ROUNDS = Number(process.env["ACP_HOSTILE_ROUNDS"] ?? 3);

test(
  "`agent-socket acp` survives storms of prompts, cancels, wrong answers and a kill: the session goes on and is whole",
  { timeout: 60_000 + ROUNDS * 60_000 },
  async () => {
    const home = newHome();
    const script = `
rules:
  - when: { user: "/tool (?<n>\\\\d+)/" }
    tools: [{ name: Bash, input: { command: "echo \${n} >> ran.txt" } }]
  - when: { user: "long" }
    text: "${"word ".repeat(60)}"
    delta_delay_ms: 15
  - when: { tool_result: Bash }
    text: done
default: { text: 'You said "\${user}".' }
`;
    const flags = ["--rehearsal", writeScript(home, script), "--linger-ms", "3000"];
    let sessionId = "";
    for (let round = 0; round < ROUNDS; round += 1) {
      const editor = new RawEditor(home, flags);
      await editor.initialize();
      const at = { cwd: home.cwd, mcpServers: [] };
      const opened = await (sessionId === ""
        ? editor.ask("session/new", at)
        : editor.ask("session/load", { sessionId, ...at }));
      expect(opened.error).toBeUndefined();
      if (sessionId === "") sessionId = String(opened.result?.["sessionId"]);
      const say = (text: string) =>
        editor.ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

      // Cancels by the dozen: before, while and after.
      for (let each = 0; each < 20; each += 1) editor.notify("session/cancel", { sessionId });
      const talks = [say("long"), say("long"), say("long")];
      for (let each = 0; each < 20; each += 1) editor.notify("session/cancel", { sessionId });
      for (const answer of await Promise.all(talks)) {
        expect(answer.result).toEqual({ stopReason: "cancelled" });
      }
      // A wrong answer to a permission, an answer twice, and one to nothing.
      const tool = say(`tool ${round}`);
      const { id } = await editor.until(
        (line) => line.method === "session/request_permission",
        "permission",
      );
      const wrong =
        round % 2 === 0 ? { outcome: { outcome: "selected", optionId: "yes please" } } : {};
      for (let each = 0; each < 2; each += 1) {
        editor.raw(`${JSON.stringify({ jsonrpc: "2.0", id, result: wrong })}\n`);
      }
      expect((await tool).result).toEqual({ stopReason: "end_turn" });
      expect((await say("hello")).result).toEqual({ stopReason: "end_turn" });
      // Killed at a random moment of a turn.
      void say("long").catch(() => {});
      await once(editor.face.child.stdout, "data");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
      editor.face.child.kill("SIGKILL");
      await editor.face.ended;
    }
    const last = new RawEditor(home, flags);
    await last.initialize();
    await last.ask("session/load", { sessionId, cwd: home.cwd, mcpServers: [] });
    const said = last.lines.flatMap((line) => {
      const { update } = (line.params ?? {}) as {
        update?: { sessionUpdate: string; content?: { text?: string } };
      };
      return update?.sessionUpdate === "user_message_chunk" ? [update.content?.text ?? ""] : [];
    });
    expect(said.filter((text) => text === "hello")).toHaveLength(ROUNDS);
    expect(said.filter((text) => text.startsWith("tool"))).toHaveLength(ROUNDS);
    await last.ask("session/close", { sessionId });
    expect(await last.end()).toBe(0);
    await vi.waitUntil(() => processesOf({ configDir: home.root }).length === 0, {
      timeout: 30_000,
      interval: 200,
    });
  },
);
