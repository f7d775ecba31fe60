import type { Options, SDKResultMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../src/bridge/index.ts";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { setStage } from "../support/rehearsed.ts";
import { openShop } from "../support/tool-stage.ts";

/** The result of a session. Its input stays open until then: what was deferred is resumed without words. */
async function resultOf(prompt: string | undefined, options: Options): Promise<SDKResultMessage> {
  const ended = Promise.withResolvers<void>();
  async function* input() {
    if (prompt !== undefined) {
      const message = { role: "user" as const, content: prompt };
      yield { type: "user" as const, message, parent_tool_use_id: null };
    }
    await ended.promise;
  }
  try {
    for await (const message of query({ prompt: input(), options })) {
      if (message.type === "result") return message;
    }
    throw new Error("The session ended without a result.");
  } finally {
    ended.resolve();
  }
}

const defer = async () => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse" as const,
    permissionDecision: "defer" as const,
  },
});

test("a call that was deferred is served when the session is resumed", async () => {
  const served: unknown[] = [];
  const buy = defineTool({
    name: "buy",
    description: "Buys a fruit.",
    input: z.object({ fruit: z.string() }),
    handler: ({ fruit }, { toolUseId }) => {
      served.push(toolUseId);
      return `Bought a ${fruit}.`;
    },
  });
  const host = await openShop("stdio", [buy]);
  const stage = await setStage({
    rules: [
      { when: { user: "buy" }, tools: [{ name: "mcp__shop__buy", input: { fruit: "plum" } }] },
      { when: { tool_result: "mcp__shop__buy" }, text: "Done: ${tool_result}" },
    ],
  });
  const options: Options = {
    cwd: stage.cwd,
    env: { PATH: process.env["PATH"], ...stage.env },
    settingSources: [],
    pathToClaudeCodeExecutable: locateCli(),
    mcpServers: { shop: host.mcpServerConfig() },
    canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }),
  };
  const first = await resultOf("buy", { ...options, hooks: { PreToolUse: [{ hooks: [defer] }] } });
  const deferred = first.subtype === "success" ? first.deferred_tool_use : undefined;
  expect(deferred).toMatchObject({ name: "mcp__shop__buy", input: { fruit: "plum" } });
  expect(served).toEqual([]);

  const second = await resultOf(undefined, { ...options, resume: first.session_id });
  expect(second).toMatchObject({ subtype: "success", result: "Done: Bought a plum." });
  expect(served).toEqual([deferred?.id]);
});
