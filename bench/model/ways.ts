import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createSdkMcpServer, query, tool as sdkTool } from "@anthropic-ai/claude-agent-sdk";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { ClaudeCodeModel, createClaudeCode, defineTool } from "../../src/model/index.ts";
import type { ScriptFunction } from "../../src/rehearsal/index.ts";

const SERVER = "tools";
const TOOL = `mcp__${SERVER}__price`;
const PROMPT = "How much is a plum?";
const ANSWER = "3 euros";
const shape = { fruit: z.string() };

/** A model that calls the tool once and then says what it said. */
export const callOnce: ScriptFunction = ({ newToolResults }) =>
  newToolResults.length > 0
    ? { text: newToolResults.map(({ text }) => text).join() }
    : { tools: [{ name: TOOL, input: { fruit: "plum" } }] };

export interface Place {
  cwd: string;
  env: Record<string, string>;
}

/** One request with one tool call, from its start to its answer. */
export type Way = () => Promise<string>;

/** The Agent SDK by itself, with its own in-process server: no less can be done. */
export function bareSdk({ cwd, env }: Place): Way {
  return async () => {
    const price = sdkTool("price", "Tells a price.", shape, async () => ({
      content: [{ type: "text", text: ANSWER }],
    }));
    const options = {
      cwd,
      env: { ...process.env, ...env },
      settingSources: [],
      tools: [],
      systemPrompt: "",
      mcpServers: {
        [SERVER]: createSdkMcpServer({ name: SERVER, tools: [price], alwaysLoad: true }),
      },
      allowedTools: [TOOL],
    };
    let text = "";
    for await (const message of query({ prompt: PROMPT, options })) {
      if (message.type !== "result") continue;
      text = message.subtype === "success" ? message.result : message.subtype;
      break;
    }
    return text;
  };
}

export function ourModel({ cwd, env }: Place, transport: "stdio" | "sdk"): Way {
  const model = new ClaudeCodeModel({ cwd, env, builtInTools: [], systemPrompt: "" });
  const input = z.object(shape);
  const price = defineTool({
    name: "price",
    description: "Tells a price.",
    input,
    handler: () => ANSWER,
  });
  model.setAgentToolsets([price], { name: SERVER, transport });
  return async () => (await model.request(PROMPT)).text;
}

export function ourProvider({ cwd, env }: Place): Way {
  const claude = createClaudeCode({ cwd, env });
  const price = tool({
    description: "Tells a price.",
    inputSchema: z.object(shape),
    execute: async () => ANSWER,
  });
  return async () => {
    const { text } = await generateText({
      model: claude("default"),
      tools: { price },
      stopWhen: isStepCount(3),
      prompt: PROMPT,
    });
    return text;
  };
}

interface OtherProvider {
  createClaudeCode(settings: object): (model: string, settings: object) => never;
  createAiSdkMcpServer(name: string, tools: object): never;
}

/**
 * The other provider has no way for the caller's tools but an MCP server of its own making.
 *
 * @param alike with the same Claude Code as all others, and no tools of its own; else as it comes.
 */
export async function otherProvider(
  { cwd, env }: Place,
  directory: string,
  alike: boolean,
): Promise<Way> {
  const entry = join(directory, "node_modules/ai-sdk-provider-claude-code/dist/index.js");
  const other = (await import(entry)) as OtherProvider;
  const price = tool({
    description: "Tells a price.",
    inputSchema: z.object(shape),
    execute: async () => ANSWER,
  });
  return async () => {
    const model = other.createClaudeCode({})("opus", {
      cwd,
      env: { ...process.env, ...env },
      settingSources: [],
      systemPrompt: "",
      mcpServers: { [SERVER]: other.createAiSdkMcpServer(SERVER, { price }) },
      allowedTools: [TOOL],
      ...(alike && { tools: [], pathToClaudeCodeExecutable: locateCli() }),
    });
    return (await generateText({ model, prompt: PROMPT })).text;
  };
}

/** Until the processes that were started in the place have ended; where that cannot be seen, a while. */
export async function untilGone({ cwd }: Place): Promise<void> {
  if (process.platform !== "linux") return delay(500);
  while (readdirSync("/proc").some((pid) => belongsTo(cwd, pid))) await delay(10);
}

function belongsTo(cwd: string, pid: string): boolean {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(cwd);
  } catch {
    return false;
  }
}

/** So that nobody is measured who did not do the work, nor while one before still ends. */
export function checked(way: Way, place: Place): () => Promise<number> {
  return async () => {
    const start = performance.now();
    const text = await way();
    const elapsedMs = performance.now() - start;
    if (!text.includes(ANSWER)) throw new Error(`The answer was ${JSON.stringify(text)}.`);
    await untilGone(place);
    return elapsedMs;
  };
}
