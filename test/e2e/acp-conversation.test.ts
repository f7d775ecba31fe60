import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { McpServer, NewSessionResponse } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { newHome, writeScript } from "../support/agent-socket-process.ts";
import { AcpEditor } from "../support/acp/acp-editor.ts";
import { noisePng } from "../support/noise-png.ts";
import { smallMcpServer } from "../support/small-mcp-server.ts";

const LINGER = ["--linger-ms", "2000"];

const script = `
rules:
  - when: { user: "plan it" }
    tools:
      - { name: ExitPlanMode, input: { plan: "1. look" } }
  - when: { user: "write a note" }
    thinking: "I think of a note."
    text: "I write it."
    tools:
      - { name: Write, input: { file_path: "note.txt", content: "milk\\n" } }
  - when: { user: "edit the note" }
    tools:
      - { name: Read, input: { file_path: "note.txt" } }
  - when: { user: "edit the note", tool_result: Read }
    tools:
      - { name: Edit, input: { file_path: "note.txt", old_string: "milk", new_string: "bread" } }
  - when: { user: "run it" }
    tools:
      - { name: Bash, input: { command: "touch ran; echo loud; exit 3" } }
  - when: { user: "list things" }
    tools:
      - name: TodoWrite
        input: { todos: [{ content: "a", status: "in_progress", activeForm: "doing a" }, { content: "b", status: "pending", activeForm: "doing b" }] }
  - when: { user: "ask me" }
    tools:
      - name: AskUserQuestion
        input: { questions: [{ question: "Which one?", header: "One", multiSelect: false, options: [{ label: A, description: first }, { label: B, description: second }] }] }
  - when: { user: "talk long" }
    text: "${"many words ".repeat(400)}"
    delta_delay_ms: 20
  - when: { user: "fail" }
    fault: { kind: http, status: 400, message: "no such thing" }
  - when: { tool_result: { text: "/(?<it>[\\\\s\\\\S]{1,60})/" } }
    text: "Result: \${it}"
default:
  text: 'You said "\${user}".'
`;

test(
  "`agent-socket acp` tells an editor everything of a conversation in the terms of ACP",
  { timeout: 180_000 },
  async () => {
    const home = newHome();
    const env = { CLAUDE_CODE_ENABLE_TASKS: "0", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" };
    const flags = ["--rehearsal", writeScript(home, script), "--model", "claude-sonnet-4-5"];
    const editor = new AcpEditor(home, [...flags, ...LINGER], env);
    expect(
      await editor.initialize({ elicitation: { form: {} }, session: { notices: {} } }),
    ).toMatchObject({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
    });

    const session = await editor.newSession(home.cwd);
    expect(session.modes?.currentModeId).toBe("default");
    const options = session.configOptions ?? [];
    expect(options.map(({ id, category }) => [id, category])).toEqual(
      expect.arrayContaining([
        ["mode", "mode"],
        ["model", "model"],
      ]),
    );
    await editor.until(
      () =>
        editor
          .all("available_commands_update")[0]
          ?.availableCommands.find(({ name }) => name === "compact"),
      "command",
    );

    // An approval, a diff, a thought, a text, the price.
    const writing = editor.prompt("write a note");
    const asked = await editor.permission();
    expect(asked.request).toMatchObject({
      toolCall: {
        kind: "edit",
        title: "Write note.txt",
        content: [
          { type: "diff", path: join(home.cwd, "note.txt"), oldText: null, newText: "milk\n" },
        ],
      },
    });
    expect(asked.request.options.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["allow_once", "reject_once"]),
    );
    const callId = asked.request.toolCall.toolCallId;
    expect(editor.all("tool_call")).toMatchObject([{ toolCallId: callId, status: "pending" }]);
    asked.answer("once");
    expect(await writing).toEqual({ stopReason: "end_turn" });
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");
    const states = editor.all("tool_call_update").filter(({ toolCallId }) => toolCallId === callId);
    expect(states.map(({ status }) => status)).toEqual(["in_progress", "completed"]);
    expect(states.at(-1)?.content).toMatchObject([{ type: "diff", newText: "milk\n" }]);
    expect(editor.text("agent_thought_chunk")).toBe("I think of a note.");
    expect(editor.text("agent_message_chunk")).toMatch(/^I write it\.Result: File created/);
    expect(editor.text("user_message_chunk")).toBe("");
    const usage = await editor.until(() => editor.all("usage_update").at(-1), "usage");
    expect(usage).toMatchObject({ cost: { currency: "USD" } });
    expect(usage.used).toBeGreaterThan(0);

    // A denial; the call fails and the turn goes on.
    const editing = editor.prompt("edit the note");
    const edit = await editor.permission(1);
    expect(edit.request.toolCall.content).toEqual([
      { type: "diff", path: join(home.cwd, "note.txt"), oldText: "milk\n", newText: "bread\n" },
    ]);
    edit.answer("deny");
    expect(await editing).toEqual({ stopReason: "end_turn" });
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");

    // Modes: nothing is asked for an edit any more.
    const { agent } = editor.connection;
    const { sessionId } = editor;
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "acceptEdits" });
    await editor.until(
      () =>
        editor
          .all("current_mode_update")
          .find(({ currentModeId }) => currentModeId === "acceptEdits"),
      "mode",
    );
    expect(await editor.prompt("edit the note")).toEqual({ stopReason: "end_turn" });
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("bread\n");
    expect(editor.permissions).toHaveLength(2);
    const back = await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "mode",
      value: "default",
    });
    expect(back.configOptions[0]).toMatchObject({ id: "mode", currentValue: "default" });
    const model = back.configOptions.find(({ id }) => id === "model");
    const other = (model?.type === "select" ? model.options : []).flatMap((each) =>
      "value" in each && each.value !== model?.currentValue ? [each.value] : [],
    )[0];
    const chosen = await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "model",
      value: other ?? "",
    });
    expect(chosen.configOptions.find(({ id }) => id === "model")).toMatchObject({
      currentValue: other,
    });
    await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: "model",
      value: String(model?.currentValue),
    });

    // A command that fails.
    const running = editor.prompt("run it");
    (await editor.permission(2)).answer("once");
    expect(await running).toEqual({ stopReason: "end_turn" });
    expect(editor.all("tool_call_update").at(-1)).toMatchObject({
      status: "failed",
      content: [{ content: { text: expect.stringContaining("loud") } }],
    });

    // A list of things to do.
    await editor.prompt("list things");
    expect(editor.all("plan").at(-1)?.entries).toEqual([
      { content: "doing a", status: "in_progress", priority: "medium" },
      { content: "b", status: "pending", priority: "medium" },
    ]);

    // A question as a form.
    const questioned = editor.prompt("ask me");
    const form = await editor.form();
    expect(form.request).toMatchObject({
      mode: "form",
      message: "Which one?",
      requestedSchema: { properties: { question_1: { oneOf: [{ const: "A" }, { const: "B" }] } } },
    });
    form.answer({ action: "accept", content: { question_1: "B" } });
    expect(await questioned).toEqual({ stopReason: "end_turn" });
    expect(editor.text("agent_message_chunk")).toContain('"Which one?"="B"');

    // Pictures, texts that the editor brings, and files that it names.
    const seen = await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "what is this" },
        { type: "image", mimeType: "image/png", data: noisePng(8) },
        { type: "resource", resource: { uri: "zed://buffer", text: "unsaved words" } },
        { type: "resource_link", name: "note.txt", uri: `file://${join(home.cwd, "note.txt")}` },
      ],
    });
    expect(seen).toEqual({ stopReason: "end_turn" });

    // Two prompts at once: both have an answer.
    const [first, second] = [editor.prompt("one"), editor.prompt("two")];
    expect([await first, await second]).toEqual([
      { stopReason: "end_turn" },
      { stopReason: "end_turn" },
    ]);

    // Cancelled in the middle of a text, by both ways.
    for (const way of ["session/cancel", "$/cancel_request"]) {
      const before = editor.updates.length;
      const gone = new AbortController();
      const talking = agent.request(
        methods.agent.session.prompt,
        { sessionId, prompt: [{ type: "text", text: "talk long" }] },
        { cancellationSignal: gone.signal },
      );
      await editor.until(
        () =>
          editor.updates
            .slice(before)
            .some(({ sessionUpdate }) => sessionUpdate === "agent_message_chunk"),
        "text",
      );
      if (way === "session/cancel") await editor.cancel();
      else gone.abort();
      expect(await talking).toEqual({ stopReason: "cancelled" });
    }
    // Cancelled while a permission is open: the question is taken back.
    const stuck = editor.prompt("run it");
    const open = await editor.permission(3);
    await editor.cancel();
    open.answer("cancelled");
    expect(await stuck).toEqual({ stopReason: "cancelled" });
    // Cancelled before the session has begun with it.
    const hasty = editor.prompt("talk long");
    await editor.cancel();
    expect(await hasty).toEqual({ stopReason: "cancelled" });

    // A plan goes on in the mode that the person chooses.
    await agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    const planned = editor.prompt("plan it");
    const plan = await editor.permission(4);
    expect(plan.request).toMatchObject({
      toolCall: { kind: "switch_mode", content: [{ content: { text: "1. look" } }] },
    });
    expect(plan.request.options.map(({ optionId }) => optionId)).toEqual(
      expect.arrayContaining(["acceptEdits", "default", "deny"]),
    );
    plan.answer("acceptEdits");
    expect(await planned).toEqual({ stopReason: "end_turn" });
    await editor.until(
      () => editor.all("current_mode_update").at(-1)?.currentModeId === "acceptEdits",
      "mode of the plan",
    );

    // An error of the model's API has our code.
    await expect(editor.prompt("fail")).rejects.toMatchObject({
      data: { code: "api_invalid_request", hint: expect.any(String) },
    });
    await expect(editor.prompt("")).rejects.toMatchObject({ data: { code: "invalid_params" } });

    await agent.request(methods.agent.session.close, { sessionId });
    await expect(editor.prompt("hello")).rejects.toMatchObject({
      code: -32002,
      data: { sessionId, code: "session_not_found" },
    });
    await editor.close();
  },
);

test(
  "`agent-socket acp` lists, loads, forks and deletes sessions, and gives them servers and directories of the editor",
  { timeout: 180_000 },
  async () => {
    const home = newHome();
    const flags = ["--rehearsal", writeScript(home, script), ...LINGER];
    const editor = new AcpEditor(home, flags);
    await editor.initialize();
    const { agent } = editor.connection;
    const more = join(home.root, "more");
    mkdirSync(more);
    writeFileSync(join(more, "x.txt"), "x");
    const small = smallMcpServer(home.root);
    const server: McpServer = { name: "small", command: small.command, args: small.args, env: [] };
    const made: NewSessionResponse = await agent.request(methods.agent.session.new, {
      cwd: home.cwd,
      additionalDirectories: [more],
      mcpServers: [server],
    });
    editor.sessionId = made.sessionId;
    expect(await editor.prompt("hello")).toEqual({ stopReason: "end_turn" });

    // What the session has, as another client of it sees.
    const status = await statusOf(home, made.sessionId);
    expect(status).toMatchObject({
      added_directories: [more],
      mcp_servers: [{ name: "small", status: "connected" }],
    });

    const listed = await agent.request(methods.agent.session.list, { cwd: home.cwd });
    expect(listed.sessions.map(({ sessionId }) => sessionId)).toEqual([made.sessionId]);
    await expect(
      agent.request(methods.agent.session.list, { cursor: "nonsense" }),
    ).rejects.toMatchObject({ code: -32602 });

    // A second editor loads it while it lives, with another server, and sees what was said.
    const second = new AcpEditor(home, flags);
    await second.initialize();
    second.sessionId = made.sessionId;
    await second.connection.agent.request(methods.agent.session.load, {
      sessionId: made.sessionId,
      cwd: home.cwd,
      mcpServers: [{ ...server, name: "other" }],
    });
    expect(second.text("user_message_chunk")).toBe("hello");
    expect(second.text("agent_message_chunk")).toBe('You said "hello".');
    expect((await statusOf(home, made.sessionId))["mcp_servers"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "other" })]),
    );
    // What one says, the other sees.
    await second.prompt("from the second");
    await editor.until(() => editor.text("user_message_chunk") === "from the second", "message");
    await second.close();

    const copy = await agent.request<{ sessionId: string }>("session/fork", {
      sessionId: made.sessionId,
      cwd: home.cwd,
      mcpServers: [],
    });
    expect(copy.sessionId).not.toBe(made.sessionId);
    editor.sessionId = copy.sessionId;
    expect(await editor.prompt("in the copy")).toEqual({ stopReason: "end_turn" });

    await agent.request(methods.agent.session.close, { sessionId: made.sessionId });
    await agent.request(methods.agent.session.delete, { sessionId: copy.sessionId });
    await agent.request(methods.agent.session.delete, { sessionId: copy.sessionId });
    const left = await agent.request(methods.agent.session.list, {});
    expect(left.sessions.map(({ sessionId }) => sessionId)).toEqual([made.sessionId]);

    // It does not run any more: it is started again.
    const before = editor.updates.length;
    await agent.request(methods.agent.session.resume, { sessionId: made.sessionId, cwd: home.cwd });
    editor.sessionId = made.sessionId;
    expect(await editor.prompt("again")).toEqual({ stopReason: "end_turn" });
    const told = editor.updates
      .slice(before)
      .map((each) => JSON.stringify(each))
      .join("\n");
    expect(told).not.toContain("hello");
    const unknown = "00000000-0000-4000-8000-000000000000";
    for (const method of [methods.agent.session.load, methods.agent.session.resume] as const) {
      await expect(
        agent.request(method, { sessionId: unknown, cwd: home.cwd, mcpServers: [] }),
      ).rejects.toMatchObject({ code: -32002, data: { sessionId: unknown } });
    }
    await agent.request(methods.agent.session.delete, { sessionId: made.sessionId });
    await editor.close();
  },
);

async function statusOf(
  { env }: { env: Record<string, string> },
  sessionId: string,
): Promise<Record<string, unknown>> {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const bin = resolve(import.meta.dirname, "../../bin/agent-socket.js");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [bin, "list", "--json", "--rehearsal"],
    { env },
  );
  const all = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { session_id: string; running?: { socket: string } });
  const socket = all.find(({ session_id }) => session_id === sessionId)?.running?.socket ?? "";
  const { SessionLineClient } = await import("../support/session-line-client.ts");
  const line = new SessionLineClient(socket);
  await line.until("init");
  const status = await line.ask({ type: "status" });
  line.socket.destroy();
  return status;
}
