import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";

const LIMIT = 10_485_760;
const foreignBridge = join(import.meta.dirname, "fixtures/bridge-foreign-bridge.py");

const description = "A tool for anybody's bridge.";
const tools = [
  defineTool({
    name: "add",
    description,
    input: z.object({ a: z.number(), b: z.number() }),
    handler: ({ a, b }) => a + b,
  }),
  defineTool({
    name: "count",
    description,
    input: z.object({ text: z.string() }),
    handler: ({ text }) => text.length,
  }),
  defineTool({
    name: "fill",
    description,
    input: z.object({ characters: z.number() }),
    handler: ({ characters }) => "x".repeat(characters),
  }),
  defineTool({
    name: "fail",
    description,
    input: z.object({}),
    handler: () => {
      throw new RangeError("the shelf is empty");
    },
  }),
];

const text = (value: string) => ({
  result: { content: [{ type: "text", text: value }], isError: false },
});

test("[IPC-2] [IPC-3] [IPC-23] [IPC-24] [IPC-25] a bridge written in another language, from the contract alone, works with our host", async () => {
  await using host = await createToolHost({ name: "h", tools }).start();
  const [, socket = "", schema = ""] = host.mcpServerConfig().args;
  const { stdout } = await promisify(execFile)("python3", [foreignBridge, socket, schema]);
  expect(JSON.parse(stdout)).toEqual({
    names: ["add", "count", "fill", "fail"],
    calls: [text("7"), text("42"), text("-0.5")],
    failure: { error: { type: "RangeError", message: "the shelf is empty" } },
    unknown: {
      error: {
        type: "ToolNotFoundError",
        message: expect.stringContaining("The tools are: add, count, fill, fail."),
      },
    },
    largest_request: text(expect.stringMatching(/^104856\d\d$/)),
    largest_answer: { bytes: LIMIT, characters: expect.any(Number) },
    too_large_answer: { bytes: expect.any(Number), type: "IPCMessageSizeError" },
    after_all: text("2"),
  });
});
