import { z } from "zod";
import type { Tool } from "../../src/bridge/index.ts";
import { content, defineTool } from "../../src/bridge/index.ts";

const none = z.object({});
const description = "Fails in its own way.";

class NoSuchCityError extends Error {}

function endless(): object {
  const round: Record<string, unknown> = {};
  round["again"] = round;
  return round;
}

/** Tools that fail, each in its own way. */
export const failingTools: Tool[] = [
  defineTool({ name: "typed", description, input: z.object({ n: z.number() }), handler: () => "" }),
  defineTool({
    name: "listed",
    description,
    input: {
      type: "object",
      properties: { at: { type: "array", items: { type: "integer", minimum: 1 } } },
    },
    handler: () => "",
  }),
  defineTool({
    name: "throws",
    description,
    input: none,
    handler: () => {
      throw new NoSuchCityError("there is no city of that name");
    },
  }),
  defineTool({ name: "cycle", description, input: none, handler: endless }),
  defineTool({ name: "bigint", description, input: none, handler: () => ({ n: 1n }) }),
  defineTool({ name: "huge", description, input: none, handler: () => "x".repeat(11_000_000) }),
  defineTool({
    name: "slow",
    description,
    input: none,
    timeoutMs: 100,
    handler: () => new Promise(() => {}),
  }),
  defineTool({
    name: "unfit",
    description,
    input: none,
    output: z.object({ n: z.number() }),
    handler: (): never => ({ n: "one" }) as never,
  }),
  defineTool({
    name: "foreseen",
    description,
    input: none,
    handler: () => content.error("The shop is closed."),
  }),
];

const may = "It was told to stop and may have done part of its work.";
const fault = "The tool itself is faulty. Continue without its result.";

/** What the model reads: `docs/bridge.md` promises these words. N stands for sizes. */
export const failures: { name: string; input?: Record<string, unknown>; text: string }[] = [
  {
    name: "typed",
    input: { n: "one" },
    text: "IPCError: The arguments do not fit the schema of typed: n: expected number, received string. The tool did not run. Correct the arguments and call it again.",
  },
  {
    name: "listed",
    input: { at: [1, 0] },
    text: "IPCError: The arguments do not fit the schema of listed: at[1]: must be >= 1. The tool did not run. Correct the arguments and call it again.",
  },
  { name: "throws", text: "NoSuchCityError: there is no city of that name" },
  {
    name: "cycle",
    text: `IPCToolExecutionError: The tool ran, but its result has no JSON form (Converting circular structure to JSON). ${fault}`,
  },
  {
    name: "bigint",
    text: `IPCToolExecutionError: The tool ran, but its result has no JSON form (Do not know how to serialize a BigInt). ${fault}`,
  },
  {
    name: "huge",
    text: "IPCMessageSizeError: The tool ran, but its result is too large: A message of at least N bytes is over the limit of N bytes. Ask the tool for less: a part, a summary, or a path to a file.",
  },
  {
    name: "slow",
    text: `ClaudeCodeError: The tool slow did not finish within 0.1 s. ${may} Check its effect before you call it again.`,
  },
  {
    name: "unfit",
    text: `IPCToolExecutionError: The tool ran, but its result does not fit its output schema: n: expected number, received string. ${fault}`,
  },
  { name: "foreseen", text: "The shop is closed." },
];

/** Failures that need more than a call: a tool that has gone, a host that stops, arguments without end. */
export const otherFailures = {
  gone: 'ToolNotFoundError: There is no tool "works". The tools are: hide. Call one of the tools that the message lists.',
  stopped:
    "IPCConnectionError: The tool host shop was stopped. The call may have run. Check its effect, and go on without this tool until its program runs again.",
  tooLarge:
    "IPCMessageSizeError: A frame of N bytes is over the limit of N bytes. Send less in one message: a summary, or a path to a file.",
};

/** A message's size depends on its envelope, and the limit on who reads it. */
export const withoutSizes = (text: string): string => text.replaceAll(/\d{8} bytes/g, "N bytes");
