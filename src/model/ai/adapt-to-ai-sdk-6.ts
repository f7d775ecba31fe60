import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  SharedV4FileData,
} from "@ai-sdk/provider";
import { noteOriginal } from "./prompt-identity.ts";

/**
 * What AI SDK 6 takes for a model. TypeScript cannot reconcile its declaration of a model's results with that of
 * version 7; `never` fits both, and only the AI SDK calls these.
 */
export interface ModelForV6 extends Pick<
  LanguageModelV3,
  "specificationVersion" | "provider" | "modelId" | "supportedUrls"
> {
  doGenerate(options: LanguageModelV3CallOptions): PromiseLike<never>;
  doStream(options: LanguageModelV3CallOptions): PromiseLike<never>;
}

/**
 * Our model for AI SDK 6. The two versions of the interface differ in how a prompt holds files; our model's output
 * has the same form in both.
 */
export function asV3(model: LanguageModelV4): ModelForV6 {
  return {
    specificationVersion: "v3",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: async (options) => (await model.doGenerate(toV4(options))) as never,
    doStream: async (options) => (await model.doStream(toV4(options))) as never,
  };
}

const toV4 = ({ prompt, ...options }: LanguageModelV3CallOptions): LanguageModelV4CallOptions => ({
  ...(options as Omit<LanguageModelV4CallOptions, "prompt">),
  prompt: toV4Prompt(prompt),
});

function toV4Prompt(prompt: LanguageModelV3Prompt): LanguageModelV4Prompt {
  const made = prompt.map(toV4Message);
  noteOriginal(made, prompt);
  return made;
}

function toV4Message(message: LanguageModelV3Message): LanguageModelV4Message {
  if (message.role === "system") return message;
  const content = (message.content as V3Part[]).map((part) => {
    if (part.type === "file") return { ...part, data: toV4Data(part.data) };
    return part.type === "tool-result" ? { ...part, output: toV4Output(part.output) } : part;
  });
  return { ...message, content } as LanguageModelV4Message;
}

type V3Part = Exclude<LanguageModelV3Message["content"], string>[number];
type V3Data = Extract<V3Part, { type: "file" }>["data"];

function toV4Data(data: V3Data): SharedV4FileData {
  if (data instanceof URL) return { type: "url", url: data };
  return { type: "data", data };
}

function toV4Output(output: LanguageModelV3ToolResultOutput): LanguageModelV4ToolResultOutput {
  if (output.type !== "content") return output;
  const value = output.value.map((part) => {
    switch (part.type) {
      case "file-data":
      case "image-data": {
        const { data, mediaType } = part;
        return { type: "file", data: { type: "data", data }, mediaType } as const;
      }
      case "file-url":
        return {
          type: "file",
          data: { type: "url", url: new URL(part.url) },
          mediaType: "application/octet-stream",
        } as const;
      case "image-url":
        return {
          type: "file",
          data: { type: "url", url: new URL(part.url) },
          mediaType: "image",
        } as const;
      case "text":
        return part;
      default:
        return { type: "custom" } as const;
    }
  });
  return { type: "content", value };
}
