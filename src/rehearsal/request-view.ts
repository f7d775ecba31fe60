import type { IncomingHttpHeaders } from "node:http";
import type { MessagesRequest, RequestBlock, RequestMessage } from "./messages-api.ts";
import type { TextSource } from "./text-sources.ts";
import { textSourcesIn } from "./text-sources.ts";
import { sideCallOf } from "./answer-side-calls.ts";

export interface SeenToolResult {
  id: string;
  /** Empty when its call is no longer in the conversation. */
  name: string;
  text: string;
  is_error: boolean;
}

/** One model request as a script sees it. "New" means after the model's last answer. */
export interface RequestView {
  /** Set on the CLI's own requests (a title, a summary), which are not part of the conversation. */
  side: ReturnType<typeof sideCallOf>;
  /** From the path: `/agents/<name>/v1/messages`. */
  agent: string | undefined;
  session: string | undefined;
  /** Set when a sub-agent of that session asks. */
  subagent: string | undefined;
  model: string;
  system: string;
  /** The user's last message in this conversation, new or not. */
  user: string | undefined;
  newUserTexts: string[];
  /** Messages of other agents. */
  newPeerTexts: string[];
  /** What the CLI added: reminders, notifications of background tasks. */
  newReminders: string[];
  newToolResults: SeenToolResult[];
  body: MessagesRequest;
}

export interface RequestOrigin {
  agent: string | undefined;
  headers: IncomingHttpHeaders;
}

export function viewRequest(body: MessagesRequest, { agent, headers }: RequestOrigin): RequestView {
  const { messages } = body;
  const firstNew = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const fresh = messages.slice(firstNew).flatMap(voicesOf);
  const newTexts = (by: TextSource["by"]): string[] =>
    fresh.filter((voice) => voice.by === by).map(({ text }) => text);
  const newUserTexts = newTexts("user");
  return {
    side: sideCallOf(body, headers["user-agent"], newUserTexts.at(-1)),
    agent,
    session: headerOf(headers, "x-claude-code-session-id"),
    subagent: headerOf(headers, "x-claude-code-agent-id"),
    model: body.model,
    system: blocksOf(body.system).map(textOf).join("\n"),
    user: newUserTexts.at(-1) ?? lastUserText(messages),
    newUserTexts,
    newPeerTexts: newTexts("peer"),
    newReminders: newTexts("cli"),
    newToolResults: resultsIn(messages.slice(firstNew), messages.slice(0, firstNew)),
    body,
  };
}

function lastUserText(messages: RequestMessage[]): string | undefined {
  return messages.flatMap(voicesOf).findLast(({ by }) => by === "user")?.text;
}

function voicesOf({ role, content }: RequestMessage): TextSource[] {
  if (role === "assistant") return [];
  const texts = blocksOf(content).filter(({ type }) => type === "text");
  return texts.flatMap((block) => textSourcesIn(textOf(block), role));
}

/** In the order of the calls: parallel tools finish in any order. */
function resultsIn(fresh: RequestMessage[], earlier: RequestMessage[]): SeenToolResult[] {
  const calls = earlier.flatMap(({ content }) => blocksOf(content)).filter(isCall);
  const blocks = fresh.flatMap(({ content }) => blocksOf(content));
  return blocks
    .filter(({ type }) => type === "tool_result")
    .map((block) => ({ block, call: calls.findIndex(({ id }) => id === block.tool_use_id) }))
    .sort((one, other) => one.call - other.call)
    .map(({ block, call }) => ({
      id: block.tool_use_id ?? "",
      name: calls[call]?.name ?? "",
      text: blocksOf(block["content"]).map(textOf).join("\n"),
      is_error: block.is_error === true,
    }));
}

function isCall({ type }: RequestBlock): boolean {
  return type === "tool_use";
}

function blocksOf(content: unknown): RequestBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as RequestBlock[]) : [];
}

function textOf(block: RequestBlock): string {
  return block.text ?? "";
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}
