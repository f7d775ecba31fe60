// The least that somebody would write on the bare Agent SDK: lines of JSON on stdio, text and approvals.
import type { PermissionResult, SDKUserMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { takeLines } from "../../bridge/lines.ts";

const tell = (message: object): unknown => process.stdout.write(`${JSON.stringify(message)}\n`);
const asked = new Map<string, (answer: PermissionResult) => void>();
const input = new TransformStream<SDKUserMessage, SDKUserMessage>();
const writer = input.writable.getWriter();
const session = query({
  prompt: input.readable,
  options: {
    includePartialMessages: true,
    permissionMode: "default",
    systemPrompt: { type: "preset", preset: "claude_code" },
    settingSources: ["user"],
    canUseTool: (tool, toolInput, { toolUseID: id }) =>
      new Promise((resolve) => {
        asked.set(id, resolve);
        tell({ type: "ask", id, tool, input: toolInput });
      }),
  },
});
takeLines(process.stdin, (line) => {
  const { type, text, id } = JSON.parse(line.toString()) as Record<"type" | "text" | "id", string>;
  if (type === "mode") void session.setPermissionMode("default").then(() => tell({ type: "ok" }));
  if (type === "allow") asked.get(id)?.({ behavior: "allow" });
  const message = { role: "user" as const, content: text };
  if (type === "prompt") void writer.write({ type: "user", message, parent_tool_use_id: null });
});
for await (const message of session) {
  if (message.type === "result") tell({ type: "done" });
  if (message.type !== "stream_event" || message.event.type !== "content_block_delta") continue;
  const { delta } = message.event;
  if (delta.type === "text_delta") tell({ type: "delta", text: delta.text });
}
