import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import Anthropic, {
  AnthropicError,
  APIConnectionError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AnswerInput } from "./answer-schema.ts";
import type { Rehearsal } from "./start-rehearsal.ts";
import { startRehearsal } from "./start-rehearsal.ts";

type FaultInput = NonNullable<AnswerInput["fault"]>;

const text = "one two three four five";
const body = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] } as const;

/** A model that fails once in this way and answers from then on. */
async function failingOnce(
  fault: FaultInput,
): Promise<{ rehearsal: Rehearsal; client: Anthropic }> {
  const rehearsal = await startRehearsal({
    script: { rules: [{ times: 1, text, delta_chars: 4, fault }], default: { text } },
  });
  onTestFinished(() => rehearsal.close());
  const client = new Anthropic({
    baseURL: rehearsal.url,
    apiKey: "rehearsal",
    maxRetries: 0,
    logLevel: "off",
  });
  return { rehearsal, client };
}

/** What of the stream arrived, and what it ended with. */
async function listen(
  client: Anthropic,
  signal?: AbortSignal,
  onText = () => {},
): Promise<[string, unknown]> {
  let heard = "";
  const stream = client.messages.stream({ ...body, messages: [...body.messages] }, { signal });
  stream.on("text", (piece) => {
    heard += piece;
    onText();
  });
  try {
    await stream.finalMessage();
    return [heard, undefined];
  } catch (error) {
    return [heard, error];
  }
}

function whole(client: Anthropic): Promise<unknown> {
  return client.messages
    .create({ ...body, messages: [...body.messages] })
    .then(({ content }) => content)
    .catch((error: unknown) => error);
}

describe("http", () => {
  it.each([
    [400, "invalid_request_error", BadRequestError],
    [401, "authentication_error", AuthenticationError],
    [403, "permission_error", PermissionDeniedError],
    [404, "not_found_error", NotFoundError],
    [413, "request_too_large", APIError],
    [429, "rate_limit_error", RateLimitError],
    [500, "api_error", InternalServerError],
    [529, "overloaded_error", InternalServerError],
  ])("%i is %s", async (status, type, errorClass) => {
    const { client, rehearsal } = await failingOnce({ kind: "http", status });
    const [, error] = await listen(client);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ status, error: { type: "error", error: { type } } });
    expect(await listen(client)).toEqual([text, undefined]);
    expect(rehearsal.journal.entries.map(({ outcome }) => outcome)).toMatchObject([
      { result: "fault", fault: "http", status, rule: 1 },
      { result: "answered", rule: "default" },
    ]);
  });

  it("carries the given message, type and retry time", async () => {
    const { client } = await failingOnce({
      kind: "http",
      status: 400,
      type: "billing_error",
      message: "Your credit balance is too low",
      retry_after_s: 3,
    });
    const error = (await whole(client)) as APIError;
    expect(error.error).toMatchObject({
      error: { type: "billing_error", message: "Your credit balance is too low" },
    });
    expect(error.headers?.get("retry-after")).toBe("3");
  });
});

describe("connections", () => {
  it("are reset before the first byte", async () => {
    const { client, rehearsal } = await failingOnce({ kind: "reset" });
    const [heard, error] = await listen(client);
    expect(heard).toBe("");
    expect(error).toBeInstanceOf(APIConnectionError);
    expect(codeOf(error)).toBe("ECONNRESET");
    expect(await listen(client)).toEqual([text, undefined]);
    expect(rehearsal.journal.entries[0]?.outcome).toMatchObject({
      result: "fault",
      fault: "reset",
    });
  });

  it("are refused for a while, then accepted on the same port", async () => {
    const { client, rehearsal } = await failingOnce({ kind: "refuse", for_ms: 3_000 });
    expect(codeOf((await listen(client))[1])).toBe("ECONNRESET");
    expect(codeOf((await listen(client))[1])).toBe("ECONNREFUSED");
    await expect.poll(() => listen(client), { timeout: 20_000 }).toEqual([text, undefined]);
    expect(rehearsal.journal.entries).toHaveLength(2);
  });
});

describe("streams", () => {
  it.each([
    [0, ""],
    [2, "one two "],
    [99, text],
  ])("are cut after %i deltas", async (after_deltas, arrived) => {
    const { client, rehearsal } = await failingOnce({ kind: "cut", after_deltas });
    const { events, complete } = await receive(rehearsal);
    const heard = events.map((event) => event.delta?.text ?? "").join("");
    expect([heard, complete, events.at(-1)?.type === "message_stop"]).toEqual([
      arrived,
      false,
      false,
    ]);
    expect(await listen(client)).toEqual([text, undefined]);
  });

  it("that are cut are an error to the API's own client", async () => {
    const { client } = await failingOnce({ kind: "cut" });
    expect((await listen(client))[1]).toBeInstanceOf(AnthropicError);
  });

  it("stall until the client leaves", async () => {
    const { client, rehearsal } = await failingOnce({ kind: "stall", after_deltas: 1 });
    const leave = new AbortController();
    const first = Promise.withResolvers<void>();
    const listening = listen(client, leave.signal, first.resolve);
    await first.promise;
    await expect.poll(() => rehearsal.journal.entries[0]?.first_delta_at).toBeDefined();
    expect(rehearsal.journal.entries[0]?.outcome).toBeUndefined();
    leave.abort();
    expect(await listening).toEqual(["one ", expect.any(APIUserAbortError)]);
    await expect
      .poll(() => rehearsal.journal.entries[0]?.outcome)
      .toMatchObject({ result: "fault", fault: "stall" });
  });

  it("report an error in the middle", async () => {
    const { client } = await failingOnce({ kind: "sse_error", after_deltas: 3 });
    const [heard, error] = await listen(client);
    expect(heard).toBe("one two thre");
    expect(error).toMatchObject({ error: { error: { type: "overloaded_error" } } });
  });

  it("turn into garbage", async () => {
    const { client } = await failingOnce({ kind: "bad_json" });
    const [heard, error] = await listen(client);
    expect(heard).toBe("one ");
    expect(error).toMatchObject({ message: expect.stringContaining("JSON") as string });
  });

  it("end without content", async () => {
    const { client } = await failingOnce({ kind: "empty" });
    expect(await listen(client)).toEqual(["", undefined]);
    expect(await listen(client)).toEqual([text, undefined]);
  });
});

describe("answers in one piece", () => {
  it.each([
    [{ kind: "cut" } as const, TypeError],
    [{ kind: "bad_json" } as const, SyntaxError],
    [{ kind: "sse_error" } as const, InternalServerError],
  ])("fail with %o too", async (fault, errorClass) => {
    const { client } = await failingOnce(fault);
    expect(await whole(client)).toBeInstanceOf(errorClass);
    expect(await whole(client)).toMatchObject([{ text }]);
  });
});

describe("slow answers", () => {
  it("wait before the first byte and between deltas, while the client is connected", async () => {
    const rehearsal = await startRehearsal({
      script: {
        default: { text: "abcd", delta_chars: 1, delay_ms: 100, delta_delay_ms: [50, 60] },
      },
    });
    onTestFinished(() => rehearsal.close());
    const client = new Anthropic({
      baseURL: rehearsal.url,
      apiKey: "rehearsal",
      maxRetries: 0,
      logLevel: "off",
    });
    const begin = performance.now();
    expect(await listen(client)).toEqual(["abcd", undefined]);
    // Timers may fire a millisecond early.
    expect(performance.now() - begin).toBeGreaterThan(100 + 3 * 50 - 5);

    const leave = new AbortController();
    const listening = listen(client, leave.signal);
    await expect.poll(() => rehearsal.journal.entries[1]?.first_delta_at).toBeDefined();
    leave.abort();
    await listening;
    await expect
      .poll(() => rehearsal.journal.entries[1]?.outcome)
      .toMatchObject({ result: "client_left", rule: "default" });
  });
});

interface ReceivedEvent {
  type: string;
  delta?: { text?: string };
}

/** Every event that arrives over the wire: a client that fails may throw away what it had. */
async function receive({
  url,
}: Rehearsal): Promise<{ events: ReceivedEvent[]; complete: boolean }> {
  const sent = request(`${url}/v1/messages`, { method: "POST" });
  sent.end(JSON.stringify({ ...body, stream: true }));
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let received = "";
  answer.on("data", (chunk) => (received += String(chunk)));
  answer.on("error", () => {});
  await new Promise((resolve) => answer.on("close", resolve));
  const events = [...received.matchAll(/^data: (.*)$/gm)];
  return {
    events: events.map(([, json = ""]) => JSON.parse(json) as ReceivedEvent),
    complete: answer.complete,
  };
}

function codeOf(error: unknown): unknown {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ("code" in at) return at.code;
  }
  return undefined;
}
