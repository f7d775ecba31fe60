import type { JsonObject } from "../wire/json.ts";
import type { MessagesRequest } from "./messages-api.ts";
import type { ScriptedAnswer } from "./answer-schema.ts";

/**
 * The CLI also makes requests of its own: for a title of the session, a label for finished tools, a web search, a
 * summary when the context is full, a check of a configured model. Those must not use up a script's turns, so they
 * are recognised and have built-in answers.
 */
type SideCall = "compact" | "suggestion" | "structured" | "plain";

const openings: [SideCall, RegExp][] = [
  ["compact", /^CRITICAL: Respond with TEXT ONLY|^Your task is to create a detailed summary of th/],
  ["suggestion", /^\[SUGGESTION MODE:/],
];

/** The kind of the CLI's own request, or undefined when it is a step of a conversation. */
export function sideCallOf(
  body: MessagesRequest,
  userAgent: string | undefined,
  lastText: string | undefined,
): SideCall | undefined {
  if (userAgent?.startsWith("claude-cli/") !== true) return undefined;
  const opening = openings.find(([, pattern]) => pattern.test(lastText ?? ""));
  if (opening) return opening[0];
  // One token is too short for an answer: the CLI checks whether the model responds at all.
  if (body.max_tokens === 1) return "plain";
  if (isConversation(body) || hasOwnTools(body)) return undefined;
  return formatOf(body) ? "structured" : "plain";
}

/** The CLI thinks and caches only in conversations, so a conversation without tools is recognised too. */
function isConversation(body: MessagesRequest): boolean {
  return (
    body["thinking"] !== undefined ||
    body["context_management"] !== undefined ||
    JSON.stringify(body.messages).includes('"cache_control"')
  );
}

/** Tools that the API itself runs, such as its web search, carry a `type`. */
function hasOwnTools({ tools = [] }: MessagesRequest): boolean {
  return tools.some(({ type }) => type === undefined || type === "custom");
}

interface OutputFormat {
  schema?: { properties?: JsonObject };
}

function formatOf(body: MessagesRequest): OutputFormat | undefined {
  return (body["output_config"] as { format?: OutputFormat } | undefined)?.format;
}

/** The built-in answer to a side call that no rule of the script matches. */
export function sideAnswer(call: SideCall, body: MessagesRequest): ScriptedAnswer {
  return { text: sideTexts[call](body) };
}

const sideTexts: Record<SideCall, (body: MessagesRequest) => string> = {
  compact: () =>
    "<analysis>\nRehearsed.\n</analysis>\n\n<summary>\nA rehearsed summary.\n</summary>",
  suggestion: () => "go on",
  structured: (body) => {
    const names = Object.keys(formatOf(body)?.schema?.properties ?? {});
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, "Rehearsal"])));
  },
  plain: () => "Rehearsal",
};
