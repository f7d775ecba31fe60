import { join } from "node:path";
import { createSdkMcpServer, query, tool as sdkTool } from "@anthropic-ai/claude-agent-sdk";
import { generateText, isStepCount, tool } from "ai";
import { z } from "zod";
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
type Way = () => Promise<string>;

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
  createCustomMcpServer(config: object): never;
}

/** The other provider has no way for the caller's tools but an MCP server of its own making. */
export async function otherProvider({ cwd, env }: Place, directory: string): Promise<Way> {
  const entry = join(directory, "node_modules/ai-sdk-provider-claude-code/dist/index.js");
  const other = (await import(entry)) as OtherProvider;
  return async () => {
    const server = other.createCustomMcpServer({
      name: SERVER,
      tools: {
        price: {
          description: "Tells a price.",
          inputSchema: z.object(shape),
          handler: async () => ({ content: [{ type: "text", text: ANSWER }] }),
        },
      },
    });
    const model = other.createClaudeCode({})("opus", {
      cwd,
      env: { ...process.env, ...env },
      settingSources: [],
      systemPrompt: "",
      mcpServers: { [SERVER]: server },
      allowedTools: [TOOL],
    });
    return (await generateText({ model, prompt: PROMPT })).text;
  };
}

/** So that nobody is measured who did not do the work. */
export function checked(way: Way): () => Promise<void> {
  return async () => {
    const text = await way();
    if (!text.includes(ANSWER)) throw new Error(`The answer was ${JSON.stringify(text)}.`);
  };
}
