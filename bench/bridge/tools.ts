import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import type { Tool } from "../../src/bridge/index.ts";
import { defineTool } from "../../src/bridge/index.ts";
import { textOf } from "./payload.ts";

/** Gives a text of the length that is asked for. */
const text = defineTool({
  name: "text",
  description: "Gives a text.",
  input: z.object({ bytes: z.number() }),
  annotations: { readOnlyHint: true },
  handler: ({ bytes }) => textOf(bytes),
});

const echo = defineTool({
  name: "echo",
  description: "Gives its text back.",
  input: z.object({ text: z.string() }),
  annotations: { readOnlyHint: true },
  handler: (args) => args.text,
});

const wait = defineTool({
  name: "wait",
  description: "Waits.",
  input: z.object({ ms: z.number() }),
  annotations: { readOnlyHint: true },
  async handler({ ms }) {
    await pause(ms);
    return "waited";
  },
});

export const benchTools: Tool[] = [text, echo, wait];
