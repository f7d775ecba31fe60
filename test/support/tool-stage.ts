import { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
import { onTestFinished } from "vitest";
import type { Tool } from "../../src/bridge/index.ts";
import { createToolHost } from "../../src/bridge/index.ts";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import type { Stage } from "./rehearsed.ts";
import { Performance, setStage } from "./rehearsed.ts";

export const transports = ["stdio", "sdk"] as const;
export type Transport = (typeof transports)[number];

/** A started host named `shop`, to be stopped at the end of the test. */
export async function openShop(transport: Transport, tools: Tool[]) {
  const options = { name: "shop", tools };
  const host =
    transport === "sdk"
      ? createToolHost({ ...options, transport, sdkServer: createSdkMcpServer })
      : createToolHost({ ...options, transport });
  onTestFinished(() => host.stop());
  return host.start();
}

export interface ToolStage {
  stage: Stage;
  play: Performance;
  host: Awaited<ReturnType<typeof openShop>>;
}

/** A session of the real CLI that has the tools of a host, and a model that follows the script. */
export async function playWithTools(
  transport: Transport,
  tools: Tool[],
  script: ScriptInput,
  env: Record<string, string> = {},
): Promise<ToolStage> {
  const host = await openShop(transport, tools);
  const stage = await setStage(script);
  const play = new Performance(stage, { mcpServers: { shop: host.mcpServerConfig() }, env });
  return { stage, play, host };
}

/** The requests of the conversation itself. */
export const mainRequests = ({ rehearsal }: Stage): JournalEntry[] =>
  rehearsal.journal.entries.filter(({ kind }) => kind === "main");

/** What the model got back from its last calls. */
export const lastResults = (stage: Stage): { text: string; is_error: boolean }[] =>
  (mainRequests(stage).at(-1)?.new_tool_results ?? []).map(({ text, is_error }) => ({
    text,
    is_error,
  }));
