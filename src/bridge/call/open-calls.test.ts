import { pino } from "pino";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { Progress, Tool, ToolContext } from "../tool/define-tool.ts";
import { defineTool } from "../tool/define-tool.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { Calls } from "./open-calls.ts";
import { failurePayload, failureResult } from "./describe-failure.ts";

type Handler = (args: { n: number }, context: ToolContext) => unknown;

const toolOf = (handler: Handler, more: { timeoutMs?: number } = {}): Tool =>
  defineTool({ name: "t", description: "d", input: z.object({ n: z.number() }), handler, ...more });

/** Runs one call, with what was logged meanwhile. */
function callOf(tool: Tool, request: { n?: unknown; signal?: AbortSignal } = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]);
  const calls = new Calls("h", pino({ level: "debug" }, { write }));
  const progress: Progress[] = [];
  const outcome = calls.run(new ToolSet([tool]), {
    name: "t",
    args: { n: request.n ?? 1 },
    toolUseId: "toolu_1",
    progress: (update) => progress.push(update),
    ...(request.signal && { signal: request.signal }),
  });
  const error = outcome.then((each) => (each.ok ? undefined : (each.error as ClaudeCodeError)));
  return { calls, outcome, error, lines, progress };
}

const forever = (): Promise<never> => new Promise(() => {});
const give = (): number => 1;
const throwIt = (thrown: unknown): never => {
  throw thrown;
};

const refuse = (): never => {
  throw new Error("trap");
};
const everyTrap = Object.fromEntries(
  Object.getOwnPropertyNames(Reflect).map((name) => [name, refuse]),
);

afterEach(() => void vi.useRealTimers());

test("a handler gets its arguments and the context of its call", async () => {
  const seen: unknown[] = [];
  const tool = toolOf(({ n }, { toolUseId, signal, progress }) => {
    seen.push(n, toolUseId, signal.aborted);
    progress({ progress: 1, total: 2, message: "half" });
    return n + 1;
  });
  const { outcome, progress } = callOf(tool, { n: 41 });
  expect(await outcome).toEqual({ ok: true, result: { content: [{ type: "text", text: "42" }] } });
  expect(seen).toEqual([41, "toolu_1", false]);
  expect(progress).toEqual([{ progress: 1, total: 2, message: "half" }]);
});

test("arguments that violate the schema never reach the handler", async () => {
  const handler = vi.fn<Handler>();
  const error = await callOf(toolOf(handler), { n: "one" }).error;
  expect(error).toMatchObject({
    code: "invalid_params",
    message: "The arguments do not fit the schema of t: n: expected number, received string.",
    data: { issues: [{ path: "n", rule: "expected number, received string" }] },
  });
  expect(handler).not.toHaveBeenCalled();
});

describe("what a handler throws", () => {
  test.each([
    ["a Proxy whose traps all throw", new Proxy({}, everyTrap)],
    [
      "an error whose name cannot be read",
      Object.defineProperty(new Error("x"), "name", { get: refuse }),
    ],
    [
      "an error whose fields cannot be read",
      Object.defineProperty(new Error("x"), "cause", { get: refuse, enumerable: true }),
    ],
  ])("is answered and logged when it is %s", async (_what, thrown) => {
    const { outcome, lines } = callOf(toolOf(() => throwIt(thrown)));
    const { error } = (await outcome) as { error: unknown };
    expect(failurePayload(error).message).toMatch(/cannot be read|^x$/);
    expect(lines).toHaveLength(1);
  });

  class QuotaError extends Error {}
  test.each([
    ["an error of its own", new QuotaError("all used up"), "QuotaError: all used up"],
    ["a string", "oh no", "ClaudeCodeError: oh no"],
    ["nothing", undefined, "ClaudeCodeError: undefined"],
    [
      "an error without words",
      new TypeError(""),
      "TypeError: The operation failed without an error message.",
    ],
  ])("%s reaches the model as class and message", async (_, thrown, text) => {
    for (const handler of [() => Promise.reject(thrown), () => throwIt(thrown)]) {
      const { outcome } = callOf(toolOf(handler));
      const { error } = (await outcome) as { error: unknown };
      expect(failureResult(error)).toEqual({ content: [{ type: "text", text }], isError: true });
    }
  });

  test("goes into the log with its stack, and its stack nowhere else", async () => {
    const { error, lines } = callOf(toolOf(() => throwIt(new QuotaError("all used up"))));
    const payload = failurePayload(await error);
    expect(payload).toEqual({ type: "QuotaError", message: "all used up" });
    expect(lines).toEqual([
      expect.objectContaining({
        msg: "A tool call failed.",
        tool: "t",
        tool_use_id: "toolu_1",
        err: expect.objectContaining({ stack: expect.stringContaining("open-calls.test.ts") }),
      }),
    ]);
  });
});

describe("a call ends before its handler", () => {
  test("by its time-out: the signal aborts, and the error says that the call may have run", async () => {
    const context = Promise.withResolvers<ToolContext>();
    const tool = toolOf((_, given) => (context.resolve(given), forever()), { timeoutMs: 20 });
    const { error } = callOf(tool);
    const { signal } = await context.promise;
    expect(await error).toMatchObject({
      code: "timeout",
      message: "The tool t did not finish within 0.02 s.",
      hint: expect.stringContaining("may have done part of its work"),
      data: { timeout_seconds: 0.02 },
    });
    expect(signal.reason).toBe(await error);
  });

  test("by its caller, before or while it runs", async () => {
    const leave = new AbortController();
    const started = Promise.withResolvers<void>();
    const { error } = callOf(
      toolOf(() => (started.resolve(), forever())),
      leave,
    );
    await started.promise;
    leave.abort("the user pressed Esc");
    expect(await error).toMatchObject({
      code: "aborted",
      message: "The call of t was cancelled: the user pressed Esc.",
    });

    const handler = vi.fn<Handler>();
    expect(await callOf(toolOf(handler), leave).error).toMatchObject({ code: "aborted" });
    expect(handler).not.toHaveBeenCalled();
  });

  test("by the stop of the host, which also refuses all later calls", async () => {
    const { calls, error } = callOf(toolOf(forever));
    calls.stop();
    expect(await error).toMatchObject({
      code: "connection_lost",
      message: "The tool host h was stopped.",
      hint: expect.stringContaining("The call may have run."),
    });
    const later = await calls.run(new ToolSet([toolOf(() => 1)]), { name: "t", args: { n: 1 } });
    expect(later).toMatchObject({
      ok: false,
      error: { code: "connection_failed", hint: expect.stringContaining("The call did not run.") },
    });
  });

  test("and a handler that throws because of the signal does not change the reported reason", async () => {
    const tool = toolOf(
      (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("I was aborted")));
        }),
      { timeoutMs: 20 },
    );
    expect(await callOf(tool).error).toMatchObject({ code: "timeout" });
  });

  test("also when the schema's async check never settles", async () => {
    const input = z.object({ n: z.number().refine(forever) });
    const tool = defineTool({
      name: "t",
      description: "d",
      input,
      handler: give,
      timeoutMs: 20,
    });
    expect(await callOf(tool).error).toMatchObject({ code: "timeout" });
  });

  test("and a handler that runs long after its call is logged", async () => {
    vi.useFakeTimers();
    const held = Promise.withResolvers<string>();
    const { error, lines } = callOf(toolOf(() => held.promise, { timeoutMs: 20 }));
    await vi.advanceTimersByTimeAsync(20);
    expect(await error).toMatchObject({ code: "timeout" });
    const said = () => lines.map(({ msg }) => msg).filter((msg) => msg !== "A tool call failed.");
    await vi.advanceTimersByTimeAsync(4_999);
    expect(said()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const note = "The handler is still running 5 s after its call ended.";
    expect(said()).toEqual([note]);
    held.resolve("too late");
    await vi.advanceTimersByTimeAsync(0);
    expect(said()).toEqual([note, "The handler ended after its call."]);
  });
});

test("a call reports no progress after its end", async () => {
  const contexts: ToolContext[] = [];
  const keep: Handler = (_, context) => contexts.push(context);
  const done = callOf(toolOf(keep));
  await done.outcome;
  const late = callOf(
    toolOf((args, context) => (keep(args, context), forever()), { timeoutMs: 20 }),
  );
  await late.outcome;
  for (const context of contexts) context.progress({ progress: 1 });
  expect([...done.progress, ...late.progress]).toEqual([]);
  expect(contexts).toHaveLength(2);
});

describe("a call that takes an hour", () => {
  const HOUR_MS = 60 * 60_000;

  test("is not ended by any timer, and sends signs of life throughout", async () => {
    vi.useFakeTimers();
    const { promise, resolve } = Promise.withResolvers<string>();
    const { outcome, progress } = callOf(toolOf(() => promise));
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(progress.length).toBe(HOUR_MS / 10_000);
    const values = progress.map((each) => each.progress);
    expect(values).toEqual(values.toSorted((one, other) => one - other));
    expect(new Set(values).size).toBe(values.length);
    expect(values.at(-1)).toBeLessThan(0.001);
    resolve("after an hour");
    expect(await outcome).toMatchObject({ ok: true });
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(progress.length).toBe(values.length);
  });

  test("reports its own progress, which is repeated only while it is silent", async () => {
    vi.useFakeTimers();
    const tool = toolOf(async (_args, { progress }) => {
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      progress({ progress: 3, total: 4, message: "nearly" });
      await new Promise((resolve) => setTimeout(resolve, 20_000));
      return "done";
    });
    const { outcome, progress } = callOf(tool);
    await vi.advanceTimersByTimeAsync(35_000);
    expect(progress).toEqual([
      { progress: 1e-6 },
      { progress: 3, total: 4, message: "nearly" },
      { progress: 3 + 1e-6, total: 4, message: "nearly" },
    ]);
    expect(await outcome).toMatchObject({ ok: true });
  });
});
