import { describe, expect, it } from "vitest";
import type { MessagesRequest } from "./messages-api.ts";
import { MessagesRequestSchema } from "./messages-api.ts";
import { viewRequest } from "./request-view.ts";

const peerMark = "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]";
const midTurn = "The user sent a new message while you were working:";
const advice =
  "This is how Claude Code surfaces messages the user sends mid-turn — within the running turn. Address the message above as you continue this turn.";

const cli = { "user-agent": "claude-cli/2.1.325 (external, sdk-cli)" };

function view(messages: unknown[], more: object = {}, headers: Record<string, string> = {}) {
  const body: MessagesRequest = MessagesRequestSchema.parse({ model: "m", messages, ...more });
  return viewRequest(body, { agent: "boss", headers });
}

const user = (...texts: string[]) => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const system = (text: string) => ({ role: "system", content: text });
const assistant = (text: string) => ({ role: "assistant", content: text });
const calls = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: `Tool-${id}`, input: {} })),
});
const result = (id: string, content: unknown, is_error?: boolean) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...(is_error !== undefined && { is_error }),
});

describe("viewRequest", () => {
  it("finds the user's words beside the CLI's reminders and after its system entries", () => {
    const seen = view([
      user("<system-reminder>\nBe kind.\n</system-reminder>\n", "hello"),
      system("# Environment\nLinux"),
    ]);
    expect(seen).toMatchObject({
      user: "hello",
      newUserTexts: ["hello"],
      newReminders: ["Be kind.", "# Environment\nLinux"],
      newPeerTexts: [],
    });
  });

  it("treats only what came after the model's last answer as new, but remembers what the user said", () => {
    const seen = view([
      user("first"),
      calls("a"),
      { role: "user", content: [result("a", "done")] },
    ]);
    expect(seen).toMatchObject({ user: "first", newUserTexts: [] });
    expect(seen.newToolResults).toEqual([
      { id: "a", name: "Tool-a", text: "done", is_error: false },
    ]);
  });

  it("distinguishes a peer's message from the user's", () => {
    expect(view([user(`${peerMark}\nping`)])).toMatchObject({
      user: undefined,
      newPeerTexts: ["ping"],
    });
    const other = '<cross-session-message from="x">\nhello\n</cross-session-message>';
    expect(
      view([user(`Another Claude session sent a message:\n${other}\nThis came…`)]),
    ).toMatchObject({
      newUserTexts: [],
      newPeerTexts: ["hello"],
    });
  });

  it("separates what was folded into a running turn", () => {
    const folded = [
      `${peerMark}\nping one`,
      `${midTurn}\nmy words\n\nin two parts\n\n${advice}`,
      `${peerMark}\nping two\n\nwith more`,
      `${midTurn}\nlast words\n\n${advice}\n\nSomething of the CLI's own.`,
    ].join("\n\n");
    const seen = view([
      user("go"),
      calls("a"),
      { role: "user", content: [result("a", "done")] },
      system(folded),
    ]);
    expect(seen).toMatchObject({
      user: "last words",
      newUserTexts: ["my words\n\nin two parts", "last words"],
      newPeerTexts: ["ping one", "ping two\n\nwith more"],
    });
    expect(seen.newToolResults).toHaveLength(1);
  });

  it("does not take the CLI's placeholders for the user's text", () => {
    const seen = view([
      user(
        "This session is being continued from a previous conversation that ran out of context. …",
      ),
      user("[Request interrupted by user]", "now this"),
    ]);
    expect(seen.newUserTexts).toEqual(["now this"]);
  });

  it("puts the results of parallel calls in the order of the calls", () => {
    const seen = view([
      user("go"),
      calls("a", "b", "c"),
      { role: "user", content: [result("c", "3"), result("a", "1", true)] },
      { role: "user", content: [result("b", [{ type: "text", text: "2" }, { type: "image" }])] },
    ]);
    expect(seen.newToolResults).toEqual([
      { id: "a", name: "Tool-a", text: "1", is_error: true },
      { id: "b", name: "Tool-b", text: "2\n", is_error: false },
      { id: "c", name: "Tool-c", text: "3", is_error: false },
    ]);
  });

  it("keeps a result whose call is gone", () => {
    const seen = view([assistant("x"), { role: "user", content: [result("a", "1")] }]);
    expect(seen.newToolResults).toEqual([{ id: "a", name: "", text: "1", is_error: false }]);
  });

  it("reads who asks from path, headers and system prompt", () => {
    const seen = view(
      [user("hi")],
      {
        system: [
          { type: "text", text: "You are" },
          { type: "text", text: "the boss" },
        ],
      },
      { "x-claude-code-session-id": "s", "x-claude-code-agent-id": "sub" },
    );
    expect(seen).toMatchObject({
      agent: "boss",
      session: "s",
      subagent: "sub",
      system: "You are\nthe boss",
      model: "m",
    });
  });
});

describe("what the CLI asks for itself", () => {
  const tools = [{ name: "Bash" }];
  const format = { format: { type: "json_schema", schema: { properties: { title: {} } } } };
  const cached = [
    { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }] },
  ];

  it.each([
    ["a conversation", { tools, thinking: { type: "adaptive" } }, undefined],
    ["a conversation that has tools, without thinking", { tools }, undefined],
    ["a conversation without tools", { tools: [], thinking: { type: "adaptive" } }, undefined],
    ["a conversation on a small model", { tools: [], messages: cached }, undefined],
    ["a label", { tools: [] }, "plain"],
    ["a try of a model that was set", { messages: cached, max_tokens: 1 }, "plain"],
    ["a title", { tools: [], output_config: format }, "structured"],
    ["a web search", { tools: [{ name: "web_search", type: "web_search_20250305" }] }, "plain"],
    [
      "a summary",
      { tools, thinking: {}, messages: [user("CRITICAL: Respond with TEXT ONLY. Do NOT call…")] },
      "compact",
    ],
    [
      "a suggestion",
      { tools, thinking: {}, messages: [user("[SUGGESTION MODE: Suggest what…]")] },
      "suggestion",
    ],
  ])("%s", (_name, body, side) => {
    expect(view([user("hi")], body, cli).side).toBe(side);
  });

  it("does not apply to another client's requests", () => {
    expect(view([user("hi")], { tools: [] }, { "user-agent": "Anthropic/JS 1.8.0" }).side).toBe(
      undefined,
    );
  });
});
