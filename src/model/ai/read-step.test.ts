import { expect, test, vi } from "vitest";
import { resultOf, streamOf } from "./read-step.ts";
import { ModelStep } from "./step.ts";
import { noUsage } from "./step-tokens.ts";

const finish = {
  type: "finish",
  finishReason: { unified: "stop", raw: "completed" },
  usage: noUsage,
} as const;

function told(...parts: Parameters<ModelStep["push"]>[0][]): ModelStep {
  const step = new ModelStep();
  for (const part of parts) step.push(part);
  return step;
}

const words = (id: string, ...deltas: string[]) =>
  deltas.map((delta) => ({ type: "text-delta", id, delta }) as const);

async function typesOf(step: ModelStep): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of streamOf(step.read(), [], () => {})) types.push(type);
  return types;
}

test("a step is streamed to each reader from its beginning, and as it continues", async () => {
  const step = told(...words("0", "One ", "two"));
  const early = resultOf(step.read(), []);
  const stream = typesOf(step);
  step.push(finish);
  step.end();
  step.push(finish);
  const content = [{ type: "text", text: "One two" }];
  expect(await early).toMatchObject({ content, finishReason: finish.finishReason });
  expect(await resultOf(step.read(), [])).toMatchObject({ content });
  expect(await stream).toEqual(["stream-start", "text-delta", "text-delta", "finish"]);
  expect([step.ended, step.failed]).toEqual([true, false]);
});

test("retracted text is in no result", async () => {
  const step = told(
    ...words("0", "It beg"),
    { type: "retracted", id: "0" },
    ...words("1", "It begins."),
  );
  step.push(finish);
  step.end();
  expect((await resultOf(step.read(), [])).content).toEqual([{ type: "text", text: "It begins." }]);
  expect(await typesOf(step)).toEqual(["stream-start", "text-delta", "text-delta", "finish"]);
});

test("a failure comes after everything streamed; an abort is the stream's own error", async () => {
  const step = told(...words("0", "It beg"));
  const error = new Error("gone");
  step.end(error);
  step.end();
  expect(step.failed).toBe(true);
  await expect(resultOf(step.read(), [])).rejects.toBe(error);
  expect(await typesOf(step)).toEqual(["stream-start", "text-delta", "error", "finish"]);
  const aborted = told(...words("0", "It beg"));
  aborted.end(AbortSignal.abort().reason);
  await expect(typesOf(aborted)).rejects.toThrow("aborted");
});

test("a reader that leaves is reported once", async () => {
  const leave = vi.fn<() => void>();
  for await (const part of streamOf(told(...words("0", "It beg")).read(), [], leave)) {
    if (part.type === "text-delta") break;
  }
  expect(leave).toHaveBeenCalledTimes(1);
});
