import type { ToolCallContent } from "@agentclientprotocol/sdk";

/** A text beside a tool call. */
export const textContent = (text: string): ToolCallContent => ({
  type: "content",
  content: { type: "text", text },
});

/** Output as it was printed: editors show texts as Markdown. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
