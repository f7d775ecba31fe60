import type { ModelMessage, ProviderMetadata } from "ai";
import { generateText, tool } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Stage } from "../support/rehearsed.ts";
import { call, providerOn, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft } from "../support/model-stage.ts";
import { processesOf } from "../support/stage-processes.ts";
import { mainRequests } from "../support/tool-stage.ts";

// Sessions that a call goes on in by their id, while calls of theirs are open.

const tools = { ask: tool({ inputSchema: z.object({}), outputSchema: z.string() }) };
const resuming = (sessionId: string) => ({
  providerOptions: { "claude-code": { resume: sessionId } },
});

type Result = Awaited<ReturnType<typeof generateText<typeof tools>>>;

const idOf = (result: { finalStep: { providerMetadata: ProviderMetadata | undefined } }): string =>
  (result.finalStep.providerMetadata!["claude-code"] as { sessionId: string }).sessionId;

function answer({ toolCalls, responseMessages }: Result): ModelMessage[] {
  const { toolCallId, toolName } = toolCalls[0]!;
  const output = { type: "text", value: "the red one" } as const;
  return [
    ...responseMessages,
    { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] },
  ];
}

const lastMessages = (stage: Stage): string =>
  JSON.stringify(mainRequests(stage).at(-1)!.body!.messages);

const asked = { role: "user", content: "Which one?" } as const;

/** A session that knows a name, and one call of it that waits in the provider. */
async function holdOne() {
  const stage = await stageOf({ text: "Hello, Ada." }, { tools: call("ask") });
  const claude = providerOn(stage);
  const hello = await generateText({ model: claude(), prompt: "My name is Ada." });
  const more = { tools, ...resuming(idOf(hello)) };
  const held = await generateText({ model: claude(), ...more, messages: [asked] });
  expect(idOf(held)).toBe(idOf(hello));
  return { stage, claude, held, more };
}

test("results for a session that no longer waits reach it when it is resumed", async () => {
  const { stage, claude, held, more } = await holdOne();
  await claude.close();
  stage.rehearsal.setScript(() => ({ text: "Thank you." }));
  const { text, warnings } = await generateText({
    model: providerOn(stage)(),
    ...more,
    messages: [asked, ...answer(held)],
  });
  expect(text).toBe("Thank you.");
  for (const words of ["My name is Ada.", "Which one?", "[called ask", "the red one"]) {
    expect(lastMessages(stage)).toContain(words);
  }
  expect(warnings).toEqual([
    { type: "other", message: expect.stringContaining("resumed was given their results as text") },
  ]);
  await expectNothingLeft(stage);
});

test("a changed conversation starts a new session with its history, also after a resume", async () => {
  const { stage, claude, held, more } = await holdOne();
  stage.rehearsal.setScript(() => ({ text: "Thank you." }));
  const changed = { role: "user", content: "Which other?" } as const;
  const result = await generateText({
    model: claude(),
    ...more,
    messages: [changed, ...answer(held)],
  });
  expect(idOf(result)).not.toBe(idOf(held));
  const told = lastMessages(stage);
  for (const words of ["Which other?", "[called ask", "the red one"]) expect(told).toContain(words);
  expect(told).not.toContain("Which one?");
  expect(result.warnings).toEqual([
    { type: "other", message: expect.stringContaining("a new session began, with the") },
  ]);
  await expectNothingLeft(stage);
});

test("a caller with tool results may name the session that waits for them, and need not", async () => {
  for (const name of [resuming, () => ({})]) {
    const { stage, claude, held } = await holdOne();
    const messages = [asked, ...answer(held)];
    const { text, warnings } = await generateText({
      model: claude(),
      tools,
      messages,
      ...name(idOf(held)),
    });
    expect([text, warnings]).toEqual(["the red one", []]);
    expect(mainRequests(stage)).toHaveLength(3);
  }
});

test("a waiting session is ended when it is resumed, so that no two CLIs use it", async () => {
  const { stage, claude, held } = await holdOne();
  expect(processesOf(stage)).not.toEqual([]);
  stage.rehearsal.setScript(() => ({ text: "Something else." }));
  const next = await generateText({
    model: claude(),
    ...resuming(idOf(held)),
    prompt: "Never mind.",
  });
  expect([next.text, idOf(next)]).toEqual(["Something else.", idOf(held)]);
  await expectNothingLeft(stage);
});
