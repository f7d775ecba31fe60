import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { NewSessionResponse } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { AcpEditor } from "../support/acp/acp-editor.ts";
import { newHome, writeScript } from "../support/agent-socket-process.ts";

const asking = resolve(import.meta.dirname, "../fixtures/mcp/asking-server.ts");
const FLAGS = ["--linger-ms", "2000", "--allowed-tools", "Bash,mcp__shop"];

const script = `
rules:
  - when: { user: "run it" }
    tools:
      - name: Bash
        input: { command: "echo one; for i in $(seq 300); do [ -e go ] && break; sleep 0.1; done; echo two; exit 3" }
  - when: { user: "deploy it" }
    tools: [{ name: mcp__shop__deploy, input: {} }]
  - when: { tool_result: { text: "/told (?<it>.*)/" } }
    text: "It was \${it}"
  - when: { tool_result: Bash }
    text: "It has run."
default: { text: "Hello." }
`;

type Meta = Record<string, { data?: string; exit_code?: number }> | null | undefined;

const metas = (editor: AcpEditor): Meta[] =>
  [...editor.all("tool_call"), ...editor.all("tool_call_update")].map(
    ({ _meta: meta }) => meta as Meta,
  );

/** What the editor's terminals show. */
const printed = (editor: AcpEditor): string =>
  metas(editor)
    .map((meta) => meta?.["terminal_output"]?.data ?? "")
    .join("");

test(
  "an editor with terminals gets the output of a command while it runs; one that comes in the middle gets it at the end",
  { timeout: 120_000 },
  async () => {
    const home = newHome();
    const flags = ["--rehearsal", writeScript(home, script), ...FLAGS];
    const [first, second] = [new AcpEditor(home, flags), new AcpEditor(home, flags)];
    await first.initialize({ _meta: { terminal_output: true } });
    await second.initialize({ _meta: { terminal_output: true } });
    const { sessionId } = await first.newSession(home.cwd);
    const turn = first.prompt("run it");
    await first.until(() => printed(first) === "one\n", "first line");
    expect(first.all("tool_call")[0]).toMatchObject({
      status: "pending",
      content: [{ type: "terminal", terminalId: first.all("tool_call")[0]?.toolCallId }],
    });
    // Of a call that began before it came, this editor has no terminal.
    await second.load(sessionId, home.cwd);
    writeFileSync(join(home.cwd, "go"), "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(printed(first)).toBe("one\ntwo\n");
    expect(metas(first).at(-1)?.["terminal_exit"]).toMatchObject({ exit_code: 3 });
    await second.until(() => second.text("agent_message_chunk") === "It has run.", "end");
    expect(printed(second)).toBe("");
    expect(second.all("tool_call_update").at(-1)).toMatchObject({
      status: "failed",
      content: [{ content: { text: expect.stringMatching(/one\ntwo/) } }],
    });
    await first.close();
    await second.close();
  },
);

test(
  "a form of an MCP server that the editor has given is filled in there; an editor without forms leaves it to one that has them",
  { timeout: 120_000 },
  async () => {
    const home = newHome();
    const flags = ["--rehearsal", writeScript(home, script), ...FLAGS];
    const [plain, able] = [new AcpEditor(home, flags), new AcpEditor(home, flags)];
    await plain.initialize();
    await able.initialize({ elicitation: { form: {} } });
    const shop = {
      name: "shop",
      command: process.execPath,
      args: [asking, "2026-07-28"],
      env: [],
    };
    const made: NewSessionResponse = await plain.connection.agent.request(
      methods.agent.session.new,
      { cwd: home.cwd, mcpServers: [shop] },
    );
    const { sessionId } = made;
    plain.sessionId = sessionId;
    await able.load(sessionId, home.cwd);
    const turn = plain.prompt("deploy it");
    const form = await able.form();
    expect(form.request).toMatchObject({
      mode: "form",
      message: expect.stringContaining("Where shall"),
    });
    form.answer({ action: "accept", content: { target: "staging", copies: 3 } });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(plain.text("agent_message_chunk")).toMatch(/^It was .*accept.*staging/);
    expect([plain.forms, plain.permissions]).toEqual([[], []]);
    await plain.close();
    await able.close();
  },
);
