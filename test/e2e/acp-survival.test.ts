import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Home } from "../support/agent-socket-process.ts";
import { newHome, writeScript } from "../support/agent-socket-process.ts";
import { AcpEditor } from "../support/acp/acp-editor.ts";
import { GatewayStage } from "../support/gateway-stage.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { processesOf } from "../support/stage-processes.ts";

const words = "one two three four five six seven eight nine ten ".repeat(12).trim();

const script = `
rules:
  - when: { user: "talk" }
    text: "${words}"
    delta_delay_ms: 60
  - when: { user: "sleep" }
    tools:
      - { name: Bash, input: { command: "sleep 3 && echo rested >> slept.txt" } }
  - when: { user: "note" }
    tools:
      - { name: Bash, input: { command: "echo milk >> note.txt" } }
  - when: { tool_result: Bash }
    text: "The tool has run."
default: { text: 'You said "\${user}".' }
`;

const LINGER_MS = 8_000;

function stage(home: Home) {
  const flags = ["--rehearsal", writeScript(home, script), "--linger-ms", String(LINGER_MS)];
  return async () => {
    const editor = new AcpEditor(home, flags);
    await editor.initialize();
    return editor;
  };
}

const count = (text: string, part: string): number => text.split(part).length - 1;

const noneLeft = (home: Home): Promise<string[]> =>
  vi.waitUntil(() => processesOf({ configDir: home.root }).length === 0 && [], {
    timeout: 45_000,
    interval: 200,
  });

/** The lock of the one session that runs, which says where its host is. */
function lockOf(home: Home): { socket: string; pid: number } {
  const locks = join(home.root, "state/switchboard/locks");
  const [name = ""] = readdirSync(locks);
  return JSON.parse(readFileSync(join(locks, name), "utf8")) as { socket: string; pid: number };
}

test(
  "an editor killed in a text, in a tool and in an approval ends no turn: the next one has everything once",
  { timeout: 240_000 },
  async () => {
    const home = newHome();
    const open = stage(home);

    // In a text.
    const first = await open();
    const { sessionId } = await first.newSession(home.cwd);
    first.prompt("talk").catch(() => {});
    await first.until(() => first.text("agent_message_chunk").includes("two"), "text");
    await first.kill();
    const second = await open();
    await second.load(sessionId, home.cwd);
    expect(second.text("user_message_chunk")).toBe("talk");
    await second.until(() => second.text("agent_message_chunk").length >= words.length, "end");
    expect(second.text("agent_message_chunk")).toBe(words);

    // In an approval: it is asked again, and once.
    await second.until(() => second.all("usage_update").length > 0, "end of the turn");
    second.prompt("note").catch(() => {});
    const asked = await second.permission();
    await second.kill();
    const third = await open();
    await third.load(sessionId, home.cwd);
    const again = await third.permission();
    expect(again.request.toolCall.toolCallId).toBe(asked.request.toolCall.toolCallId);
    again.answer("once");
    await third.until(() => third.text("agent_message_chunk").includes("The tool has run."), "end");
    expect(third.permissions).toHaveLength(1);
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");

    // In a tool.
    third.prompt("sleep").catch(() => {});
    (await third.permission(1)).answer("once");
    await third.until(() => third.all("tool_call_update").at(-1)?.status === "in_progress", "tool");
    await third.kill();
    const fourth = await open();
    await fourth.load(sessionId, home.cwd);
    await fourth.until(
      () => count(fourth.text("agent_message_chunk"), "The tool has run.") === 2,
      "end of the tool",
    );
    expect(readFileSync(join(home.cwd, "slept.txt"), "utf8")).toBe("rested\n");
    expect(fourth.permissions).toHaveLength(0);
    expect(fourth.text("user_message_chunk")).toBe("talknotesleep");
    const calls = fourth.all("tool_call");
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(calls.length);
    expect(await fourth.prompt("hello")).toEqual({ stopReason: "end_turn" });

    // The end of the input, and then nobody: after its linger time nothing is left.
    await fourth.close();
    expect(processesOf({ configDir: home.root }).length).toBeGreaterThan(0);
    expect(await noneLeft(home)).toEqual([]);
  },
);

test(
  "two editors, a browser and a plain client share a session: all are asked, the first decides, and the others' questions are taken back",
  { timeout: 180_000 },
  async () => {
    const home = newHome();
    const open = stage(home);
    const [one, two] = [await open(), await open()];
    const { sessionId } = await one.newSession(home.cwd);
    await two.load(sessionId, home.cwd);
    const plain = new SessionLineClient(lockOf(home).socket);
    await plain.until("init");

    // The plain client decides.
    const turn = one.prompt("note");
    const [atOne, atTwo] = [await one.permission(), await two.permission()];
    const { request_id } = await plain.until("approval_request");
    plain.send({ type: "approve", request_id });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    await one.until(() => atOne.signal.aborted && atTwo.signal.aborted, "withdrawal");
    // An answer that comes too late changes nothing.
    atOne.answer("deny");
    atTwo.answer("cancelled");
    expect(await one.prompt("hello")).toEqual({ stopReason: "end_turn" });
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\n");

    // One editor decides; the other one and the plain client see it.
    const another = plain.told.length;
    const next = two.prompt("note");
    const [first, second] = [await one.permission(1), await two.permission(1)];
    first.answer("once");
    expect(await next).toEqual({ stopReason: "end_turn" });
    await two.until(() => second.signal.aborted, "withdrawal");
    expect(first.signal.aborted).toBe(false);
    expect(await plain.until("approval_resolved", { since: another })).toMatchObject({
      outcome: "allowed",
      by: "acp-plain:test",
    });
    // The other editor sees what was said, and the one that said it is not told its own words.
    expect(one.text("user_message_chunk")).toBe("note");
    expect(two.text("user_message_chunk")).toBe("notehello");

    // A title that one of them gives reaches the editors.
    plain.send({ type: "rename", title: "A walk" });
    for (const editor of [one, two]) {
      const titled = () =>
        editor.all("session_info_update").find(({ title }) => title === "A walk");
      await editor.until(titled, "title");
    }

    // The person decides on the page.
    const target = { kind: "session", socket: lockOf(home).socket } as const;
    const gateway = await GatewayStage.start({ target });
    const page = await gateway.browse("/ws/session", await gateway.signIn()).opened();
    const third = two.prompt("note");
    const [inOne, inTwo] = [await one.permission(2), await two.permission(2)];
    page.socket.send(
      JSON.stringify({ type: "approve", request_id: inOne.request.toolCall.toolCallId }),
    );
    expect(await third).toEqual({ stopReason: "end_turn" });
    await one.until(() => inOne.signal.aborted && inTwo.signal.aborted, "withdrawal");
    expect(readFileSync(join(home.cwd, "note.txt"), "utf8")).toBe("milk\nmilk\nmilk\n");
    page.socket.terminate();

    // The host is killed in a turn: the face starts it again, and the prompt has its end.
    const talking = one.prompt("talk");
    await one.until(() => one.text("agent_message_chunk").includes("one two"), "text");
    const { pid } = lockOf(home);
    process.kill(pid, "SIGKILL");
    expect(await talking).toEqual({ stopReason: "end_turn" });
    expect(await two.prompt("still there")).toEqual({ stopReason: "end_turn" });
    await one.close();
    await two.close();
    plain.socket.destroy();
    expect(await noneLeft(home)).toEqual([]);
  },
);
