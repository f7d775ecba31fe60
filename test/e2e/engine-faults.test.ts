import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ErrorCode } from "../../src/wire/error-table.ts";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import { Performance, setStage } from "../support/rehearsed.ts";

type Rule = NonNullable<ScriptInput["rules"]>[number];
type Fault = NonNullable<Rule["fault"]>;

const goOn = "Are you there?";
const goesOn: Rule = { when: { user: goOn }, text: "I am here." };

const http = (status: number, more: Partial<Extract<Fault, { kind: "http" }>> = {}): Fault => ({
  kind: "http",
  status,
  ...more,
});

interface Expected {
  code: ErrorCode;
  retryable: boolean;
  status?: number;
  /** The code of the attempts that the CLI repeats by itself. */
  retried?: ErrorCode;
}

const failures: [string, Partial<Rule>, Expected][] = [
  ["400", { fault: http(400) }, { code: "api_invalid_request", retryable: false, status: 400 }],
  [
    "400 for lack of credit",
    { fault: http(400, { message: "Your credit balance is too low" }) },
    { code: "billing_error", retryable: false, status: 400 },
  ],
  [
    "400 for a prompt that is too long",
    { fault: http(400, { message: "prompt is too long: 300000 tokens > 200000 maximum" }) },
    { code: "prompt_too_long", retryable: false, status: 400 },
  ],
  [
    "401",
    { fault: http(401) },
    {
      code: "authentication_failed",
      retryable: false,
      status: 401,
      retried: "authentication_failed",
    },
  ],
  ["403", { fault: http(403) }, { code: "authentication_failed", retryable: false, status: 403 }],
  ["404", { fault: http(404) }, { code: "model_not_found", retryable: false, status: 404 }],
  [
    "429 with retry-after",
    { fault: http(429, { retry_after_s: 1 }) },
    { code: "api_rate_limited", retryable: true, status: 429, retried: "api_rate_limited" },
  ],
  [
    "429 that says wait for an hour",
    { fault: http(429, { retry_after_s: 3600 }) },
    { code: "api_rate_limited", retryable: true, status: 429 },
  ],
  [
    "500",
    { fault: http(500) },
    { code: "api_server_error", retryable: true, status: 500, retried: "api_server_error" },
  ],
  [
    "529",
    { fault: http(529) },
    { code: "overloaded", retryable: true, status: 529, retried: "overloaded" },
  ],
  [
    "a reset connection",
    { fault: { kind: "reset" } },
    { code: "api_unreachable", retryable: true, retried: "api_unreachable" },
  ],
  [
    "a stream that is cut",
    { text: "This will never be whole", fault: { kind: "cut", after_deltas: 1 } },
    { code: "api_unreachable", retryable: true, retried: "api_unreachable" },
  ],
  [
    "an error in the middle of a stream",
    { text: "This will never be whole", fault: { kind: "sse_error", after_deltas: 1 } },
    { code: "overloaded", retryable: true, status: 529 },
  ],
  [
    "an answer that is too long",
    { text: "and so on", stop_reason: "max_tokens" },
    { code: "max_output_tokens", retryable: false },
  ],
  [
    "a refusal",
    { text: "No.", stop_reason: "refusal" },
    { code: "model_refusal", retryable: false },
  ],
];

const stopReason: Partial<Record<ErrorCode, string>> = {
  model_refusal: "refused",
  max_output_tokens: "max_output_tokens",
  prompt_too_long: "prompt_too_long",
};

describe("a fault of the API becomes a typed error, and the session answers the next message", () => {
  test.each(failures)("%s", async (_name, fault, expected) => {
    const stage = await setStage({
      rules: [goesOn, { ...fault }],
    });
    const play = new Performance(stage, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
    const failed = await play.ask("go ahead", 30_000);
    expect(failed).toMatchObject({
      stop_reason: stopReason[expected.code] ?? "failed",
      text: "",
      error: {
        code: expected.code,
        retryable: expected.retryable,
        message: expect.stringMatching(/\w/),
        hint: expect.stringMatching(/\w/),
      },
    });
    expect(failed.error?.data?.["status"]).toBe(expected.status);
    const retries = play.told.filter((event) => event.type === "retry");
    expect(retries.map(({ code }) => code)).toEqual(expected.retried ? [expected.retried] : []);
    expect(await play.ask(goOn)).toMatchObject({ stop_reason: "completed", text: "I am here." });
  });
});

test("by default, too, the CLI gives up on the API in bounded time", async () => {
  vi.stubEnv("CLAUDE_CODE_MAX_RETRIES", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const faults: Fault[] = [http(401), http(500), { kind: "reset" }];
  await Promise.all(
    faults.map(async (fault) => {
      const play = new Performance(await setStage({ rules: [goesOn, { fault }] }));
      expect(await play.ask("go ahead", 60_000)).toMatchObject({ stop_reason: "failed" });
      const waits = play.told.flatMap((event) => (event.type === "retry" ? [event.delay_ms] : []));
      expect(waits).toHaveLength(4);
      expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThan(15_000);
      expect(await play.ask(goOn)).toMatchObject({ text: "I am here." });
    }),
  );
});

test("a refused connection is reported as such, and the session answers when the API is back", async () => {
  const stage = await setStage({ rules: [goesOn, { fault: { kind: "refuse", for_ms: 2_500 } }] });
  const play = new Performance(stage, { env: { CLAUDE_CODE_MAX_RETRIES: "1" } });
  const failed = await play.ask("go ahead", 30_000);
  expect(failed.error).toMatchObject({ code: "api_unreachable", retryable: true });
  await vi.waitFor(() => fetch(stage.rehearsal.url), { timeout: 10_000 });
  expect(await play.ask(goOn)).toMatchObject({ stop_reason: "completed", text: "I am here." });
});

/** What a person has on the screen in the end. */
function shown({ told }: Performance): string {
  const blocks = new Map<number, string>();
  for (const event of told) {
    if (event.type === "text_delta") {
      blocks.set(event.block, (blocks.get(event.block) ?? "") + event.text);
    }
    if (event.type === "retracted" && "block" in event) blocks.delete(event.block);
  }
  return [...blocks.values()].join("");
}

const TRIES = 5;

test.each<[string, Rule]>([
  [
    "cut stream",
    { text: "A long answer that breaks off", fault: { kind: "cut", after_deltas: 2 } },
  ],
  [
    "unreadable stream",
    { text: "An answer with a flaw", fault: { kind: "bad_json", after_deltas: 1 } },
  ],
  [
    "cut input of a tool",
    {
      tools: [{ name: "Bash", input: { command: "echo a long command > y" } }],
      fault: { kind: "cut", after_deltas: 3 },
    },
  ],
  ["empty answer", { fault: { kind: "empty" } }],
])("the CLI gets over one %s, and what was shown of it is retracted", async (name, fault) => {
  const script = {
    rules: [{ ...fault, times: 1, delta_delay_ms: 200, delta_chars: 5 }, { text: "I am here." }],
  };
  const stage = await setStage(script);
  // When the connection breaks, Claude Code drops what it has not read yet. On a busy machine that can be all of the answer.
  for (let tries = 1; ; tries += 1) {
    stage.rehearsal.setScript(script);
    const play = new Performance(stage);
    const { stop_reason, text } = await play.ask("go ahead");
    expect(stop_reason).toBe("completed");
    expect(text).not.toBe("");
    expect(shown(play)).toBe(text);
    const retractions = play.told.flatMap((event) => {
      if (event.type !== "retracted") return [];
      return "request_id" in event ? event.request_id : "block";
    });
    const call = play.told.find((event) => event.type === "tool_input_delta");
    const wasNothingShown = call === undefined && retractions.length === 0;
    if (name.startsWith("cut") && wasNothingShown && tries < TRIES) continue;
    expect(call !== undefined).toBe(name === "cut input of a tool");
    expect(retractions).toEqual(name === "empty answer" ? [] : [call?.request_id ?? "block"]);
    return;
  }
});

test("an answer that the CLI fetched without a stream is reported with all its blocks", async () => {
  const whole = { thinking: "Once more.", text: "All of it." };
  const stage = await setStage({
    rules: [
      { ...whole, times: 1, fault: { kind: "bad_json", after_deltas: 1 } },
      { ...whole, times: 1, tools: [{ name: "Bash", input: { command: "echo x > y" } }] },
      { text: "Done." },
    ],
  });
  const play = new Performance(stage);
  await play.ask("go ahead");
  expect(shown(play)).toBe("All of it.Done.");
  expect(play.told.filter(({ type }) => type === "tool_use")).toHaveLength(1);
});

test("a stalled stream is reported, can be interrupted, and the session goes on", async () => {
  const stage = await setStage({
    rules: [goesOn, { text: "It begins and then", fault: { kind: "stall", after_deltas: 1 } }],
  });
  const play = new Performance(stage, { stallMs: 700 });
  play.say("go ahead");
  expect(await play.until("stalled")).toMatchObject({ silent_ms: 700 });
  await play.engine.interrupt();
  expect(await play.until("turn_ended")).toMatchObject({ stop_reason: "aborted" });
  expect(await play.ask(goOn)).toMatchObject({ text: "I am here." });
});

test("a stall is reported also where nothing streams: in a second attempt, a sub-agent, a compaction", async () => {
  const stall: Rule = { text: "It begins and then", fault: { kind: "stall", after_deltas: 1 } };
  const start = {
    description: "look",
    prompt: "Look around.",
    subagent_type: "general-purpose",
    run_in_background: false,
  };
  const stage = await setStage({
    rules: [
      goesOn,
      { ...stall, when: { kind: "side" } },
      { ...stall, when: { user: "again" }, times: 1, fault: { kind: "bad_json", after_deltas: 1 } },
      { ...stall, when: { user: "again" } },
      { ...stall, when: { user: "Look around" } },
      { when: { user: "delegate" }, tools: [{ name: "Agent", input: start }] },
    ],
  });
  const play = new Performance(stage, { stallMs: 700 });
  for (const words of ["try again", "please delegate", "/compact"]) {
    const since = play.told.length;
    play.say(words);
    const { parent, error } = await play.until("stalled", {
      since,
      fits: ({ silent_ms }) => silent_ms === 2_100,
    });
    expect(error).toMatchObject({ code: "stalled", retryable: true });
    const call = play.told.slice(since).find((event) => event.type === "tool_use");
    expect(parent).toBe(words === "please delegate" ? call?.request_id : undefined);
    await play.engine.interrupt();
    await play.until("turn_ended", { since });
    expect(await play.ask(goOn)).toMatchObject({ text: "I am here." });
  }
});

test("a slow stream is not a stall", async () => {
  const text = "word by word by word by word by word now";
  const stage = await setStage({ rules: [{ text, delta_chars: 5, delta_delay_ms: 1_000 }] });
  // Longer than any silence, shorter than all of them together.
  const play = new Performance(stage, { stallMs: 5_000 });
  expect(await play.ask("go ahead")).toMatchObject({ text });
  expect(play.told.filter((event) => event.type === "stalled")).toEqual([]);
  expect(play.told.filter((event) => event.type === "text_delta")).toHaveLength(8);
});
