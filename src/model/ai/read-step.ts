import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  SharedV4Warning,
} from "@ai-sdk/provider";
import { errorOf } from "../../wire/errors.ts";
import { noUsage } from "./step-tokens.ts";
import type { StepPart } from "./step.ts";

/** A step as it happens. Cancelling the stream calls `onCancel`. */
export function streamOf(
  parts: AsyncGenerator<StepPart, void>,
  warnings: SharedV4Warning[],
  onCancel: () => void,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start: (controller) => controller.enqueue({ type: "stream-start", warnings }),
    async pull(controller) {
      try {
        const next = await nextTold(parts);
        if (next) controller.enqueue(next);
        else controller.close();
      } catch (error) {
        if (isAbort(error)) return controller.error(error);
        controller.enqueue({ type: "error", error });
        const finishReason = { unified: "error", raw: undefined } as const;
        controller.enqueue({ type: "finish", finishReason, usage: noUsage });
        controller.close();
      }
    },
    cancel: onCancel,
  });
}

/** What a stream has passed on cannot be retracted. */
async function nextTold(
  parts: AsyncGenerator<StepPart, void>,
): Promise<LanguageModelV4StreamPart | undefined> {
  for (;;) {
    const { value } = await parts.next();
    if (!value || value.type !== "retracted") return value ?? undefined;
  }
}

const isAbort = (error: unknown): boolean =>
  error instanceof Error && ["AbortError", "TimeoutError"].includes(error.name);

/** A whole step. @throws what it failed with. */
export async function resultOf(
  parts: AsyncIterable<StepPart>,
  warnings: SharedV4Warning[],
): Promise<LanguageModelV4GenerateResult> {
  const content = new Map<string, LanguageModelV4Content>();
  let response: LanguageModelV4GenerateResult["response"];
  for await (const part of parts) {
    switch (part.type) {
      case "text-delta":
        append(content, `text ${part.id}`, "text", part.delta);
        break;
      case "reasoning-delta":
        append(content, `reasoning ${part.id}`, "reasoning", part.delta);
        break;
      case "retracted":
        content.delete(`text ${part.id}`);
        content.delete(`reasoning ${part.id}`);
        break;
      case "tool-call":
      case "tool-result":
        content.set(`${part.type} ${part.toolCallId}`, part);
        break;
      case "response-metadata": {
        const { type: _type, ...metadata } = part;
        response = metadata;
        break;
      }
      case "finish": {
        const { type: _type, ...finish } = part;
        return {
          ...finish,
          content: [...content.values()],
          warnings,
          ...(response && { response }),
        };
      }
      default:
    }
  }
  throw errorOf("internal", "A step ended without a finish reason.");
}

function append(
  content: Map<string, LanguageModelV4Content>,
  key: string,
  type: "text" | "reasoning",
  delta: string,
): void {
  const before = content.get(key);
  const text = before?.type === type ? before.text + delta : delta;
  content.set(key, { type, text });
}
