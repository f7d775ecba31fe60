import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JsonValue } from "../../wire/json.ts";
import type { HeldCall } from "./hold-tool-call.ts";
import { isSameInput } from "./is-same-input.ts";

/** The calls that a conversation left to its caller, to recognise them when they come back. */
export class CallerCalls {
  readonly #calls = new Map<string, HeldCall>();

  add(id: string, call: HeldCall): void {
    this.#calls.set(id, call);
  }

  readonly has = (id: string): boolean => this.#calls.has(id);

  /** Whether the prompt has one of them with another input. */
  hasEdits(prompt: LanguageModelV4Prompt): boolean {
    const parts = prompt.flatMap(({ role, content }) => (role === "assistant" ? content : []));
    return parts.some((part) => part.type === "tool-call" && this.#isEdited(part));
  }

  #isEdited({ toolCallId, input }: { toolCallId: string; input: unknown }): boolean {
    const call = this.#calls.get(toolCallId);
    // A caller may repair a broken input in any way.
    return !!call && !call.isBroken && !isSameInput(call.input, asJson(input), call.schema);
  }
}

/** As it would be sent: a date becomes its text. */
const asJson = (value: unknown): JsonValue =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "bigint" ? String(inner) : inner,
    ) ?? "null",
  ) as JsonValue;
