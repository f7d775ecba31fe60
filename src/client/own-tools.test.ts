import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ErrorCode } from "../wire/error-table.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonObject } from "../wire/json.ts";
import type { SessionAnswer } from "../wire/session/answers.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";
import type { ClientTool } from "./own-tools.ts";
import { OwnTools } from "./own-tools.ts";

/** A session that writes down what it is asked, and fails as it is told. */
class Session {
  readonly asked: SessionCommandInput[] = [];
  readonly problems: string[] = [];
  /** For the next commands of this type. */
  readonly failures: { type: string; code: ErrorCode }[] = [];
  /** Answers wait for it. */
  held: Promise<void> | undefined;
  readonly tools = new OwnTools(
    (command) => this.#answer(command),
    ({ code }) => this.problems.push(code),
  );

  call(id: string, text = "x"): void {
    const deadline = "2026-11-18T12:00:00.000Z";
    const line = { call: id, namespace: "n", tool: "t", input: { text }, deadline } as const;
    this.tools.take({ type: "tool_call", ...line });
  }

  of(type: string): SessionCommandInput[] {
    return this.asked.filter((command) => command.type === type);
  }

  async #answer(command: SessionCommandInput): Promise<SessionAnswer> {
    this.asked.push(command);
    const at = this.failures.findIndex(({ type }) => type === command.type);
    const [failure] = at === -1 ? [] : this.failures.splice(at, 1);
    await this.held;
    if (failure) throw errorOf(failure.code, "as it was told");
    return { type: "ok", ref: "1" };
  }
}

const tool = (handler: ClientTool["handler"]): ClientTool => ({
  name: "t",
  description: "d",
  inputSchema: { type: "object" },
  handler,
});

const sayMuch = ({ text }: { text?: unknown }): string => {
  if (text === "bad") throw new Error("No.");
  return "much";
};

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("[SES-90] a result that was lost with its connection is returned after the tools were offered again", async () => {
  const session = new Session();
  session.tools.attached();
  await session.tools.offer("n", [tool(({ text }) => `got ${text as string}`)]);
  session.failures.push({ type: "tool_return", code: "connection_lost" });
  session.call("c1-1", "a");
  await settled();
  session.asked.length = 0;
  session.tools.attached();
  await settled();
  expect(session.asked).toMatchObject([
    { type: "offer_tools", namespace: "n", running: ["c1-1"] },
    { type: "tool_return", call: "c1-1", text: "got a" },
  ]);
  // It is acknowledged: the next connection hears nothing of it.
  session.asked.length = 0;
  session.tools.attached();
  await settled();
  expect(session.asked.map((command) => command.type)).toEqual(["offer_tools"]);
  expect(session.asked[0]).not.toHaveProperty("running");
});

test("[SES-90] an offer is repeated while the session still has the old connection, and an offer that was refused is not", async () => {
  const session = new Session();
  session.tools.attached();
  session.failures.push({ type: "offer_tools", code: "name_in_use" });
  await expect(session.tools.offer("other", [tool(() => "")])).rejects.toMatchObject({
    code: "name_in_use",
  });
  await session.tools.offer("n", [tool(() => "")]);
  session.failures.push({ type: "offer_tools", code: "name_in_use" });
  session.asked.length = 0;
  session.tools.attached();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(session.of("offer_tools")).toMatchObject([{ namespace: "n" }, { namespace: "n" }]);
  expect(session.problems).toEqual([]);
});

test("[SES-87] a result that is ready without a connection, or before the session has the offer again, waits for that", async () => {
  const session = new Session();
  const gates = { a: Promise.withResolvers<string>(), b: Promise.withResolvers<string>() };
  session.tools.attached();
  await session.tools.offer("n", [tool(({ text }) => gates[text as "a" | "b"].promise)]);
  session.call("c1-1", "a");
  session.call("c1-2", "b");
  session.tools.lost();
  session.asked.length = 0;
  gates.a.resolve("A");
  await settled();
  expect(session.asked).toEqual([]);
  const accepted = Promise.withResolvers<void>();
  session.held = accepted.promise;
  session.tools.attached();
  gates.b.resolve("B");
  await settled();
  expect(session.asked).toMatchObject([{ type: "offer_tools", running: ["c1-1", "c1-2"] }]);
  accepted.resolve();
  await settled();
  expect(session.of("tool_return")).toMatchObject([
    { call: "c1-1", text: "A" },
    { call: "c1-2", text: "B" },
  ]);
});

test("[SES-87] a result that the next connection carried before the offer is returned again after it", async () => {
  const session = new Session();
  session.tools.attached();
  await session.tools.offer("n", [tool(() => "A")]);
  const answered = Promise.withResolvers<void>();
  session.held = answered.promise;
  session.failures.push({ type: "tool_return", code: "unknown_request" });
  session.call("c1-1");
  await settled();
  session.tools.lost();
  session.tools.attached();
  answered.resolve();
  await settled();
  expect(session.asked.slice(1)).toMatchObject([
    { type: "tool_return", call: "c1-1" },
    { type: "offer_tools", running: ["c1-1"] },
    { type: "tool_return", call: "c1-1", text: "A" },
  ]);
});

test("[SES-87] a call that comes before the answer to the offer is returned at once", async () => {
  const session = new Session();
  session.held = new Promise(() => {});
  session.tools.attached();
  void session.tools.offer("n", [tool(() => "A")]);
  session.call("c1-1");
  await settled();
  expect(session.of("tool_return")).toMatchObject([{ call: "c1-1", text: "A" }]);
});

test("[SES-90] an offer whose replacement fails after a lost connection is made again", async () => {
  const session = new Session();
  session.tools.attached();
  await session.tools.offer("n", [tool(() => "")]);
  const answered = Promise.withResolvers<void>();
  session.held = answered.promise;
  session.failures.push({ type: "offer_tools", code: "name_in_use" });
  const replaced = session.tools.offer("n", [{ ...tool(() => ""), description: "new" }]);
  session.tools.lost();
  session.tools.attached();
  session.asked.length = 0;
  answered.resolve();
  await expect(replaced).rejects.toMatchObject({ code: "name_in_use" });
  await settled();
  expect(session.asked).toMatchObject([{ type: "offer_tools", tools: [{ description: "d" }] }]);
});

const circular: JsonObject = {};
circular["self"] = circular;

test.each<{ what: string; handler: () => unknown; says: string }>([
  { what: "returns null", handler: () => null, says: "returned null" },
  {
    what: "returns what JSON cannot hold",
    handler: () => ({ structured: circular }),
    says: "circular",
  },
  {
    what: "throws what has no text",
    handler: () => {
      throw Object.create(null);
    },
    says: "cannot be shown",
  },
])("a handler that $what makes an error result", async ({ handler, says }) => {
  const session = new Session();
  await session.tools.offer("n", [tool(handler as ClientTool["handler"])]);
  session.call("c1-1");
  await settled();
  expect(session.of("tool_return")).toMatchObject([
    { call: "c1-1", is_error: true, text: expect.stringContaining(says) },
  ]);
});

test("the model hears of a result that cannot be sent, also when the connection is lost meanwhile", async () => {
  const session = new Session();
  session.tools.attached();
  await session.tools.offer("n", [tool(() => "much")]);
  session.failures.push({ type: "tool_return", code: "message_too_large" });
  session.failures.push({ type: "tool_return", code: "connection_lost" });
  session.call("c1-1");
  await settled();
  session.tools.lost();
  session.asked.length = 0;
  session.tools.attached();
  await settled();
  expect(session.of("tool_return")).toMatchObject([
    { call: "c1-1", is_error: true, text: expect.stringContaining("could not be sent") },
  ]);
});

test("the model hears of a result that cannot be sent, and of a handler that throws", async () => {
  const session = new Session();
  await session.tools.offer("n", [tool(sayMuch)]);
  session.failures.push({ type: "tool_return", code: "message_too_large" });
  session.call("c1-1");
  await settled();
  session.call("c1-2", "bad");
  await settled();
  expect(session.of("tool_return")).toMatchObject([
    { call: "c1-1", text: "much" },
    { call: "c1-1", is_error: true, text: expect.stringContaining("could not be sent") },
    { call: "c1-2", is_error: true, text: "No." },
  ]);
  expect(session.problems).toEqual(["message_too_large"]);
});

test("[SES-89] a cancelled call aborts its handler's signal, and its result is not returned", async () => {
  const session = new Session();
  const held = Promise.withResolvers<string>();
  const signals: AbortSignal[] = [];
  await session.tools.offer("n", [
    tool((_, { signal }) => {
      signals.push(signal);
      return held.promise;
    }),
  ]);
  session.call("c1-1");
  session.call("c1-2");
  session.tools.take({ type: "tool_cancel", call: "c1-1", reason: "aborted" });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  held.resolve("late");
  await settled();
  expect(session.of("tool_return")).toMatchObject([{ call: "c1-2" }]);
  session.tools.close();
});
