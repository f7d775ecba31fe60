import { expect, test } from "vitest";
import { CommunicationLogLevelSchema } from "./communication-log.ts";
import {
  MessageTypeSchema,
  parseCCMessage,
  parseSendMessageInput,
  PrioritySchema,
} from "./messages.ts";
import { MAX_CONTENT_BYTES, MAX_THINKING_BYTES } from "./messages.ts";
import { defaultRetryPolicy, timeouts } from "../timeouts.ts";

// Literals: the protocol between agents fixes them.
test("the words, sizes and times of the team protocol", () => {
  expect(MessageTypeSchema.options).toEqual([
    "task_request",
    "task_response",
    "task_complete",
    "task_failed",
    "info",
    "progress",
    "error",
    "ping",
    "pong",
    "shutdown",
  ]);
  expect(PrioritySchema.options).toEqual(["low", "normal", "high", "urgent"]);
  expect(CommunicationLogLevelSchema.options).toEqual(["DEBUG", "INFO", "WARN", "ERROR"]);
  expect([MAX_CONTENT_BYTES, MAX_THINKING_BYTES]).toEqual([1_048_576, 102_400]);
  expect(timeouts).toEqual({
    startMs: 30_000,
    sendMs: 10_000,
    receiveMs: 60_000,
    taskMs: 300_000,
    idleMs: 120_000,
  });
  expect(defaultRetryPolicy).toEqual({
    tries: 5,
    firstDelayMs: 1_000,
    maxDelayMs: 60_000,
    factor: 2,
  });
});

const id = "5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11";
const timestamp = "2026-02-01T14:32:10Z";
const message = {
  id,
  from_agent: "grand_boss",
  to_agent: "middle_manager",
  type: "info",
  content: "x",
  metadata: { timestamp },
  timestamp,
  root_id: id,
  hop: 0,
  path: [],
};

test("send_message input gets defaults for fields that the sender leaves out", () => {
  expect(parseCCMessage(message)).toEqual({
    ok: true,
    value: {
      ...message,
      thinking: null,
      reply_to: null,
      metadata: {
        timestamp,
        priority: "normal",
        task_id: null,
        correlation_id: null,
        retry_count: 0,
        ttl: null,
      },
    },
  });
});

test.each([
  ["content", 1_048_576],
  ["thinking", 102_400],
])("%s may have exactly %i bytes", (field, limit) => {
  const sized = (bytes: number) => ({ ...message, [field]: "é".repeat(bytes / 2) });
  expect(parseCCMessage(sized(limit)).ok).toBe(true);
  const result = parseCCMessage(sized(limit + 2));
  expect(!result.ok && result.error).toMatchObject({
    code: "message_too_large",
    name: "IPCMessageSizeError",
    message: `message.${field}: ${limit + 2} bytes are over the limit of ${limit}`,
    data: { size: limit + 2, limit },
  });
});

test("send_message does not wait by default", () => {
  expect(parseSendMessageInput({ to: "coder", content: "x" })).toEqual({
    ok: true,
    value: { to: "coder", content: "x", wait: false },
  });
});

const words = { to: "b", content: "x" };
const isTaken = (metadata: object): boolean => parseSendMessageInput({ ...words, metadata }).ok;

test("a message's labels are short and on one line, and its time to live can be counted", () => {
  for (const field of ["task_id", "correlation_id"]) {
    const good = ["T-1", "作業 1", "x".repeat(200)];
    const bad = ["", "T\n----- end -----", "T\rx", "T\u2028x", "x".repeat(201)];
    const taken = [...good, ...bad].filter((label) => isTaken({ [field]: label }));
    expect(taken).toEqual(good);
  }
  const lives = [0, 1, 3_155_760_000, 3_155_760_001].filter((ttl) => isTaken({ ttl }));
  expect(lives).toEqual([1, 3_155_760_000]);
});

test("the case of an id does not matter", () => {
  const parsed = parseSendMessageInput({ ...words, reply_to: id.toUpperCase() });
  expect(parsed.ok && parsed.value.reply_to).toBe(id);
});
