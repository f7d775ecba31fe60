import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import type { SessionEvent } from "../../client/index.ts";
import { SessionEventSchema } from "../../client/index.ts";
import { noAbilities } from "../abilities.ts";
import type { TranslationContext, TranslationState } from "./translate.ts";
import { beginning, translate } from "./translate.ts";

const at = "2026-11-18T12:00:00.000Z";
let seq = 0;

/** An event as the wire has it. */
const event = (fields: object): SessionEvent =>
  SessionEventSchema.parse({ seq: (seq += 1), at, turn_id: "t1", ...fields });

const live: TranslationContext = {
  cwd: "/work",
  abilities: noAbilities,
  isPast: false,
  isOwnMessage: (id) => id === "mine",
  hasPrompt: true,
};

const able = { terminalOutput: true, notices: true, compaction: true, forms: true, pages: true };

/** What an editor is told of these events, one after the other. */
function told(fields: readonly object[], seen: Partial<TranslationContext> = {}): SessionUpdate[] {
  let state: TranslationState = beginning();
  return fields.flatMap((each) => {
    const { state: after, updates } = translate(state, event(each), { ...live, ...seen });
    state = after;
    return [...updates];
  });
}

const bash = { type: "tool_use", request_id: "c1", tool: "Bash", input: { command: "ls" } };
const bashCall = {
  sessionUpdate: "tool_call",
  toolCallId: "c1",
  title: "ls",
  name: "Bash",
  kind: "execute",
  status: "pending",
  rawInput: { command: "ls" },
};
const text = (words: string, messageId = "t1:0") => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text: words },
  messageId,
});
const wire = (words: string) => [{ type: "content", content: { type: "text", text: words } }];

const rows: [
  title: string,
  events: object[],
  updates: object[],
  seen?: Partial<TranslationContext>,
][] = [
  ["a text", [{ type: "text_delta", block: 0, text: "Hi" }], [text("Hi")]],
  [
    "a thought",
    [{ type: "thinking_delta", block: 1, text: "Hm" }],
    [{ ...text("Hm", "t1:1"), sessionUpdate: "agent_thought_chunk" }],
  ],
  [
    "a sub-agent's text, which is no answer",
    [{ type: "text_delta", block: 0, text: "Sub", parent: "c9" }],
    [{ ...text("Sub", "t1:c9:0"), sessionUpdate: "agent_thought_chunk" }],
  ],
  ["the editor's own message", [{ type: "user_message", id: "mine", text: "Hi" }], []],
  [
    "another client's message",
    [{ type: "user_message", id: "m2", text: "Hi" }],
    [{ ...text("Hi", "m2"), sessionUpdate: "user_message_chunk" }],
  ],
  [
    "the editor's own message in the past",
    [{ type: "user_message", id: "mine", text: "Hi" }],
    [{ ...text("Hi", "mine"), sessionUpdate: "user_message_chunk" }],
    { isPast: true },
  ],
  [
    "a call and its result",
    [bash, { type: "tool_result", request_id: "c1", output: "a\n", is_error: false }],
    [
      bashCall,
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "completed",
        content: wire("```console\na\n```"),
      },
    ],
  ],
  [
    "a call that runs when it is allowed, once",
    [
      bash,
      { type: "approval_resolved", request_id: "c1", outcome: "allowed" },
      { type: "tool_progress", request_id: "c1", elapsed_ms: 1 },
    ],
    [
      expect.objectContaining({ sessionUpdate: "tool_call" }),
      { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" },
    ],
  ],
  [
    "a call that was denied, which its result tells",
    [{ type: "approval_resolved", request_id: "c1", outcome: "denied" }],
    [],
  ],
  [
    "where a call is",
    [bash, { type: "tool_progress", request_id: "c1", message: "half" }],
    [
      expect.objectContaining({ sessionUpdate: "tool_call" }),
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "in_progress",
        content: wire("half"),
      },
    ],
  ],
  [
    "an edit with what it has changed",
    [
      {
        type: "tool_use",
        request_id: "c2",
        tool: "Edit",
        input: { file_path: "a.ts", old_string: "x", new_string: "y" },
      },
      {
        type: "tool_result",
        request_id: "c2",
        output: "ok",
        is_error: false,
        changes: [
          {
            path: "a.ts",
            kind: "edit",
            hunks: [
              {
                old_start: 7,
                old_lines: 2,
                new_start: 7,
                new_lines: 2,
                lines: [" a", "-x", "+y", "\\ No newline at end of file"],
              },
            ],
          },
        ],
      },
    ],
    [
      expect.objectContaining({
        kind: "edit",
        title: "Edit a.ts",
        locations: [{ path: "/work/a.ts" }],
        content: [{ type: "diff", path: "/work/a.ts", oldText: "x", newText: "y" }],
      }),
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c2",
        status: "completed",
        content: [{ type: "diff", path: "/work/a.ts", oldText: "a\nx\n", newText: "a\ny" }],
        locations: [{ path: "/work/a.ts", line: 7 }],
      },
    ],
  ],
  [
    "live output in a terminal, and only what it lacks at the end",
    [
      bash,
      { type: "tool_output_delta", request_id: "c1", text: "a\n" },
      { type: "tool_result", request_id: "c1", output: "Exit code 2\na\nb\n", is_error: true },
    ],
    [
      expect.objectContaining({
        content: [{ type: "terminal", terminalId: "c1" }],
        _meta: { terminal_info: { terminal_id: "c1", cwd: "/work" } },
      }),
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "in_progress",
        _meta: { terminal_output: { terminal_id: "c1", data: "a\n" } },
      },
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "failed",
        _meta: {
          terminal_output: { terminal_id: "c1", data: "b\n" },
          terminal_exit: { terminal_id: "c1", exit_code: 2, signal: null },
        },
      },
    ],
    { abilities: able },
  ],
  ["no terminal for a call of the past", [bash], [bashCall], { abilities: able, isPast: true }],
  [
    "no live output for an editor without terminals",
    [bash, { type: "tool_output_delta", request_id: "c1", text: "a\n" }],
    [expect.objectContaining({ sessionUpdate: "tool_call" })],
  ],
  [
    "a list of things to do",
    [{ type: "todo", items: [{ content: "b", status: "in_progress", active_form: "doing b" }] }],
    [
      {
        sessionUpdate: "plan",
        entries: [{ content: "doing b", status: "in_progress", priority: "medium" }],
      },
    ],
  ],
  [
    "the context and the price",
    [
      {
        type: "usage",
        usage: { input_tokens: 1, output_tokens: 1 },
        context: { tokens: 5, window: 9 },
      },
      {
        type: "done",
        messages: [],
        usage: { input_tokens: 1, output_tokens: 1 },
        cost_usd: 0.5,
        duration_ms: 1,
        stop_reason: "completed",
      },
    ],
    [0, 0.5].map((amount) => ({
      sessionUpdate: "usage_update",
      used: 5,
      size: 9,
      cost: { amount, currency: "USD" },
    })),
  ],
  [
    "a title",
    [{ type: "title_changed", title: "Walk" }],
    [{ sessionUpdate: "session_info_update", title: "Walk", updatedAt: at }],
  ],
  [
    "a summary, for editors that know it",
    [{ type: "compacting" }, { type: "compacted", pre_tokens: 9, trigger: "auto" }],
    ["in_progress", "completed"].map((status) => ({
      sessionUpdate: "compaction_update",
      compactionId: expect.stringMatching(/^\d+$/),
      status,
    })),
    { abilities: able },
  ],
  [
    "a summary, for others",
    [{ type: "compacting" }, { type: "compacted", pre_tokens: 9, trigger: "auto" }],
    [],
  ],
  [
    "a summary that failed",
    [{ type: "compacting" }, { type: "notice", code: "compaction_failed", message: "No." }],
    [
      expect.objectContaining({ status: "in_progress" }),
      expect.objectContaining({ status: "failed", error: "No." }),
      expect.objectContaining({ sessionUpdate: "notice", severity: "warning" }),
    ],
    { abilities: able },
  ],
  [
    "a notice",
    [{ type: "notice", code: "rate_limit", message: "Near the limit.", hint: "Wait." }],
    [
      {
        sessionUpdate: "notice",
        severity: "warning",
        title: "Near the limit.",
        description: "Wait.",
      },
    ],
    { abilities: able },
  ],
  [
    "a notice that the editor cannot show",
    [{ type: "notice", code: "rate_limit", message: "x" }],
    [],
  ],
  [
    "a notice that waits for a decision, which is asked",
    [{ type: "notice", code: "foreign_writer", message: "x", request_id: "n1" }],
    [],
    { abilities: able },
  ],
  [
    "an error of a turn that another client began",
    [{ type: "error", code: "overloaded", message: "Busy.", retryable: true, hint: "Wait." }],
    [text("\n\n**Error:** Busy. Wait.\n\n", expect.any(String) as string)],
    { hasPrompt: false },
  ],
  [
    "an error that the answer of a prompt will have",
    [{ type: "error", code: "overloaded", message: "Busy.", retryable: true, hint: "Wait." }],
    [],
  ],
  [
    "a call that was withdrawn",
    [bash, { type: "retracted", request_id: "c1" }],
    [
      expect.objectContaining({ sessionUpdate: "tool_call" }),
      expect.objectContaining({ toolCallId: "c1", status: "failed" }),
    ],
  ],
  [
    "a text that was withdrawn",
    [{ type: "retracted", block: 0 }],
    [text(expect.stringContaining("withdrawn") as string, expect.any(String) as string)],
  ],
  [
    "what was said before the log began",
    [
      {
        type: "earlier",
        messages: [
          { role: "user", text: "a" },
          { role: "assistant", text: "b" },
        ],
        omitted: 0,
      },
    ],
    [
      expect.objectContaining({ sessionUpdate: "user_message_chunk" }),
      expect.objectContaining({ sessionUpdate: "agent_message_chunk" }),
    ],
  ],
  [
    "a large output, by its beginning",
    [
      bash,
      {
        type: "tool_result",
        request_id: "c1",
        output: { blob: "b1", bytes: 300000, preview: "aa" },
        is_error: false,
      },
    ],
    [
      expect.anything(),
      expect.objectContaining({ content: wire("```console\naa\n… (300000 bytes in all)\n```") }),
    ],
  ],
  [
    "a result with a picture",
    [
      {
        type: "tool_result",
        request_id: "c4",
        output: "",
        is_error: false,
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
        ],
      },
    ],
    [
      expect.objectContaining({
        content: [
          { type: "content", content: { type: "image", data: "AA==", mimeType: "image/png" } },
        ],
      }),
    ],
  ],
  ["a change of state", [{ type: "status", state: "idle" }], []],
];

describe("`translate` tells an editor", () => {
  test.each(rows)("%s", (_title, events, updates, seen) => {
    expect(told(events, seen)).toEqual(updates);
  });
});
