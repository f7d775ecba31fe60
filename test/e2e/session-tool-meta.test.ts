import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { content, createToolHost, defineTool } from "../../src/bridge/index.ts";
import { Conversation } from "../support/conversation.ts";
import { setStage } from "../support/rehearsed.ts";
import { modelRequests } from "../support/requests.ts";

test("[SES-62] tool_result has the meta of an MCP tool's result, and the model does not get it", async () => {
  const look = defineTool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    handler: () =>
      content.result({
        content: [{ type: "text", text: "seen" }],
        _meta: { "example/id": "HIDDEN-7" },
      }),
  });
  const host = createToolHost({ name: "shop", tools: [look] });
  await host.start();
  onTestFinished(() => host.stop());
  const stage = await setStage({
    rules: [
      { when: { tool_result: "mcp__shop__look" }, text: "I have seen it." },
      { tools: [{ name: "mcp__shop__look", input: {} }] },
    ],
  });
  const talk = await Conversation.start(stage, {
    mcpServers: { shop: host.mcpServerConfig() },
    allowedTools: ["mcp__shop__look"],
  });
  await talk.ask("look");
  const [result] = talk.all("tool_result");
  expect(result).toMatchObject({ output: "seen", meta: { "example/id": "HIDDEN-7" } });
  expect(JSON.stringify(modelRequests(stage))).not.toContain("HIDDEN-7");
});
