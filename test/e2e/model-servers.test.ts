import { readFileSync } from "node:fs";
import { generateText } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import type { StdioServerConfig } from "../../src/bridge/host/stdio-config.ts";
import { defineTool } from "../../src/model/index.ts";
import { call, providerOn, stageOf } from "../support/ai-stage.ts";
import { expectNothingLeft, modelOn } from "../support/model-stage.ts";
import { processesOf } from "../support/stage-processes.ts";
import { openShop, transports } from "../support/tool-stage.ts";

// Servers of the caller's own, in `mcpServers`, beside the tools.

/** What the SDK would print on the user's stderr. */
const warnings: string[] = [];
process.on("warning", ({ message }) => warnings.push(message));

test.each(transports)(
  "over %s, servers beside the tools are there, and their keys in no argument",
  async (transport) => {
    const stage = await stageOf({ tools: call("look") }, { tools: [{ name: "mcp__shop__price" }] });
    const price = { name: "price", description: "Tells the price.", input: z.object({}) };
    const shop = await openShop("stdio", [defineTool({ ...price, handler: () => "3 euros" })]);
    const seen: string[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks at the processes.",
      input: z.object({}),
      handler: () => {
        const lines = processesOf(stage).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
        seen.push(...lines);
        return "looked";
      },
    });
    const model = modelOn(stage, {
      permission: "allow",
      mcpServers: {
        shop: { ...(shop.mcpServerConfig() as StdioServerConfig), env: { KEY: "planted" } },
        far: { type: "http", url: "http://127.0.0.1:9/", headers: { Authorization: "planted" } },
      },
    });
    model.setAgentToolsets([look], { transport });
    expect((await model.request("look")).text).toBe("3 euros");
    expect(seen.filter((line) => line.includes("--input-format"))).toHaveLength(1);
    expect(seen.filter((line) => line.includes("planted"))).toEqual([]);
    expect(warnings).toEqual([]);
    await shop.stop();
    await expectNothingLeft(stage);
  },
);

test("a server cannot have the name of the tools' own", async () => {
  const stage = await stageOf({ text: "Never." });
  const server = { type: "http", url: "http://127.0.0.1:9/" } as const;
  const look = { name: "look", description: "Looks.", input: z.object({}), handler: () => "" };
  const model = modelOn(stage, { mcpServers: { shop: server } });
  model.setAgentToolsets([defineTool(look)], { name: "shop" });
  await expect(model.request("Go.")).rejects.toMatchObject({ code: "invalid_params" });
  const claude = providerOn(stage, { mcpServers: { tools: server } });
  await expect(generateText({ model: claude(), prompt: "Go." })).rejects.toThrow(
    "The name tools is used by the server of your own tools.",
  );
});
