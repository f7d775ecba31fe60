import { createHash } from "node:crypto";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCallPart,
} from "@ai-sdk/provider";
import { isRecord } from "../../wire/json.ts";

/**
 * A digest for each message, which changes with its content. What the AI SDK itself may change on the way back is
 * left out: options, reasoning, calls that we ran, and the input of our own calls, which schemas change (`CallerCalls`
 * checks those).
 */
export const digestsOf = (
  prompt: LanguageModelV4Prompt,
  isOurs: (call: string) => boolean,
): string[] => prompt.map((message) => hash(essenceOf(message, isOurs)));

/** The digest that the answer of a step will have when it comes back. */
export const digestOfAnswer = (
  text: string,
  calls: readonly { id: string; name: string }[],
): string =>
  hash({ role: "assistant", text: text.trim(), calls: calls.map(({ id, name }) => [id, name]) });

function essenceOf(message: LanguageModelV4Message, isOurs: (call: string) => boolean): unknown {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "assistant": {
      const calls = message.content.filter(
        (part) => part.type === "tool-call" && part.providerExecuted !== true,
      ) as LanguageModelV4ToolCallPart[];
      const texts = message.content.map((part) => (part.type === "text" ? part.text : ""));
      return {
        role: message.role,
        text: texts.join("").trim(),
        calls: calls.map(({ toolCallId: id, toolName, input }) =>
          isOurs(id) ? [id, toolName] : [id, toolName, input],
        ),
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}

/** Options say how to send a part, not what it says; nor does the order of keys matter. */
function hash(value: unknown): string {
  const json = JSON.stringify(value, function (this: Record<string, unknown>, key, inner: unknown) {
    if (key === "providerOptions") return undefined;
    // Not `inner`: a buffer has been converted there.
    const bytes = this[key];
    if (bytes instanceof Uint8Array) return Buffer.from(bytes).toString("base64");
    if (!isRecord(inner)) return inner;
    return Object.fromEntries(
      Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
  return createHash("sha256").update(json).digest("base64");
}
