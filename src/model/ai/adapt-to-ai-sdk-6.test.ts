import type {
  LanguageModelV3CallOptions,
  LanguageModelV4,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { asV3 } from "./adapt-to-ai-sdk-6.ts";

/** The prompt as the model gets it. */
async function passed(
  prompt: LanguageModelV3CallOptions["prompt"],
): Promise<LanguageModelV4Prompt> {
  const prompts: LanguageModelV4Prompt[] = [];
  const model = {
    doGenerate: async (options: { prompt: LanguageModelV4Prompt }) => prompts.push(options.prompt),
  };
  await asV3(model as unknown as LanguageModelV4).doGenerate({ prompt });
  return prompts[0]!;
}

test("files and tool results have the newer version's form", async () => {
  const call = { toolCallId: "toolu_1", toolName: "photo" };
  const url = new URL("https://x.test/a.png");
  const got = await passed([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "file", mediaType: "image/png", data: url },
        { type: "file", mediaType: "image/png", data: "AAAA" },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", ...call, output: { type: "text", value: "as it is" } },
        {
          type: "tool-result",
          ...call,
          output: {
            type: "content",
            value: [
              { type: "text", text: "a" },
              { type: "image-data", data: "BBBB", mediaType: "image/png" },
              { type: "file-url", url: "https://x.test/b", mediaType: "text/plain" } as never,
              { type: "image-url", url: "https://x.test/c" },
            ],
          },
        },
      ],
    },
  ]);
  const [system, user, results] = got;
  expect(system).toEqual({ role: "system", content: "Be brief." });
  expect(user!.content).toMatchObject([
    { type: "text" },
    { data: { type: "url", url } },
    { data: { type: "data", data: "AAAA" } },
  ]);
  expect(results!.content).toMatchObject([
    { output: { type: "text", value: "as it is" } },
    {
      output: {
        value: [
          { type: "text", text: "a" },
          { type: "file", data: { type: "data", data: "BBBB" }, mediaType: "image/png" },
          { type: "file", data: { type: "url", url: new URL("https://x.test/b") } },
          {
            type: "file",
            data: { type: "url", url: new URL("https://x.test/c") },
            mediaType: "image",
          },
        ],
      },
    },
  ]);
});
