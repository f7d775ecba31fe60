import { createHash } from "node:crypto";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/**
 * A mark for each message, which changes with what the message says. What the AI SDK itself may change on the
 * way back is left out: options, reasoning, a call's input after defaults, and calls that we ran.
 */
export const digestsOf = (prompt: LanguageModelV4Prompt): string[] =>
  prompt.map((message) => hash(essenceOf(message)));

/** The mark that the answer of a step will have when it comes back. */
export const digestOfAnswer = (
  text: string,
  calls: readonly { id: string; name: string }[],
): string =>
  hash({ role: "assistant", text: text.trim(), calls: calls.map(({ id, name }) => [id, name]) });

function essenceOf(message: LanguageModelV4Message): unknown {
  switch (message.role) {
    case "system":
      return { role: message.role, content: message.content };
    case "assistant": {
      const own = message.content.filter(
        (part) => part.type === "tool-call" && part.providerExecuted !== true,
      );
      const texts = message.content.map((part) => (part.type === "text" ? part.text : ""));
      return {
        role: message.role,
        text: texts.join("").trim(),
        calls: own.map((part) => part.type === "tool-call" && [part.toolCallId, part.toolName]),
      };
    }
    default:
      return { role: message.role, content: message.content };
  }
}

/** Options say how to send a part, not what it says. */
function hash(value: unknown): string {
  const json = JSON.stringify(value, (key, inner: unknown) => {
    if (key === "providerOptions") return undefined;
    return inner instanceof Uint8Array ? Buffer.from(inner).toString("base64") : inner;
  });
  return createHash("sha256").update(json).digest("base64");
}
