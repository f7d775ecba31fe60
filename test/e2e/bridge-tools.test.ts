import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ToolContext } from "../../src/bridge/index.ts";
import { content, defineTool } from "../../src/bridge/index.ts";
import { Performance, setStage } from "../support/rehearsed.ts";
import {
  lastResults,
  mainRequests,
  openShop,
  playWithTools,
  transports,
} from "../support/tool-stage.ts";

// The real CLI, with tools that run in this process.

/** A red square of 8 by 8, as the CLI decodes images. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC",
  "base64",
);

const answer = (tool: string) => ({ when: { tool_result: `mcp__shop__${tool}` }, text: "Done." });
const calling = (user: string, tool: string, ...inputs: object[]) => ({
  when: { user },
  tools: inputs.map((input) => ({ name: `mcp__shop__${tool}`, input: input as never })),
});

const named = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), handler: () => name });

describe.each(transports)("over %s", (transport) => {
  test("tools are there from the first request on, and are called with the model's id", async () => {
    const price = defineTool({
      name: "price",
      description: "Tells the price of a fruit.",
      input: z.object({ fruit: z.string(), count: z.number().default(1) }),
      handler: ({ fruit, count }, { toolUseId }) => ({ fruit, count, toolUseId }),
    });
    const { stage, play } = await playWithTools(transport, [price], {
      rules: [calling("how much", "price", { fruit: "plum" }), answer("price")],
    });
    await play.ask("how much is a plum?");
    const [first] = mainRequests(stage);
    expect(first!.tools).toContain("mcp__shop__price");
    const announced = first!.body?.tools?.find(({ name }) => name === "mcp__shop__price");
    expect(announced).toMatchObject({
      description: "Tells the price of a fruit.",
      input_schema: { type: "object", required: ["fruit"] },
    });
    const [use] = play.told.filter((event) => event.type === "tool_use");
    expect(use!.tool).toBe("mcp__shop__price");
    const toolUseId = use!.request_id;
    expect(lastResults(stage)).toEqual([
      { text: JSON.stringify({ fruit: "plum", count: 1, toolUseId }), is_error: false },
    ]);
    expect(stage.rehearsal.journal.failures).toEqual([]);
  });

  test("calls of a read-only tool run side by side, others one after the other", async () => {
    const input = z.object({ n: z.number() });
    const trail: string[] = [];
    const met = Promise.withResolvers<void>();
    const look = defineTool({
      name: "look",
      description: "Looks.",
      input,
      annotations: { readOnlyHint: true },
      handler: async ({ n }) => {
        trail.push(`look ${n}`);
        // Each waits for the third: one by one, the first would wait for ever.
        if (trail.length === 3) met.resolve();
        await met.promise;
        return n;
      },
    });
    const change = defineTool({
      name: "change",
      description: "Changes.",
      input,
      handler: async ({ n }) => {
        trail.push(`change ${n} begins`);
        await new Promise((resolve) => setTimeout(resolve, 20));
        trail.push(`change ${n} ends`);
      },
    });
    const three = [{ n: 1 }, { n: 2 }, { n: 3 }];
    const { stage, play } = await playWithTools(transport, [look, change], {
      rules: [
        calling("look around", "look", ...three),
        calling("change them", "change", ...three),
        answer("look"),
        answer("change"),
      ],
    });
    await play.ask("look around");
    expect(trail.splice(0).sort()).toEqual(["look 1", "look 2", "look 3"]);
    expect(lastResults(stage).map(({ text }) => text)).toEqual(["1", "2", "3"]);
    await play.ask("change them");
    expect(trail).toEqual([1, 2, 3].flatMap((n) => [`change ${n} begins`, `change ${n} ends`]));
  });

  test("an image arrives as an image, structured content as JSON", async () => {
    const photo = defineTool({
      name: "photo",
      description: "Shows the shop.",
      input: z.object({}),
      handler: () => [content.text("The shop:"), content.image(PNG, "image/png")],
    });
    const stock = defineTool({
      name: "stock",
      description: "Counts.",
      input: z.object({}),
      output: z.object({ plums: z.number() }),
      handler: () => ({ plums: 7 }),
    });
    const { stage, play } = await playWithTools(transport, [photo, stock], {
      rules: [
        calling("show", "photo", {}),
        calling("count", "stock", {}),
        answer("photo"),
        answer("stock"),
      ],
    });
    await play.ask("show me");
    const [text, image] = blocksOf(mainRequests(stage).at(-1)!.body);
    expect(text).toEqual({ type: "text", text: "The shop:" });
    expect(image).toEqual({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") },
    });
    await play.ask("count them");
    expect(lastResults(stage)).toEqual([{ text: '{"plums":7}', is_error: false }]);
  });

  test("an interrupt aborts the handler's signal, and the next call works", async () => {
    const contexts: ToolContext[] = [];
    const started = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits for a customer.",
      input: z.object({}),
      handler: (_args, context) => {
        if (contexts.push(context) > 1) return "Somebody came.";
        started.resolve();
        return new Promise(() => {});
      },
    });
    const { stage, play } = await playWithTools(transport, [wait], {
      rules: [calling("wait", "wait", {}), answer("wait")],
    });
    const turn = play.ask("wait for somebody");
    await started.promise;
    await play.engine.interrupt();
    await turn;
    await expect.poll(() => contexts[0]!.signal.aborted).toBe(true);
    expect(contexts[0]!.signal.reason).toMatchObject({ code: "aborted" });
    await play.ask("wait again");
    expect(lastResults(stage).at(-1)).toEqual({ text: "Somebody came.", is_error: false });
  });

  test("a session gets other tools, and refuses one that is gone", async () => {
    const { stage, play, host } = await playWithTools(transport, [named("old"), named("kept")], {
      rules: [
        { when: { user: "hello" }, text: "Hello." },
        calling("use old", "old", {}),
        calling("use new", "new", {}),
        answer("old"),
        answer("new"),
      ],
    });
    await play.ask("hello");
    host.replaceTools([named("kept"), named("new")]);
    // The session is told at once, and asks for the list in its own time.
    const offered = async () => (await play.ask("hello"), mainRequests(stage).at(-1)!.tools);
    await expect.poll(offered, { timeout: 20_000 }).toContain("mcp__shop__new");
    await play.ask("use new");
    expect(lastResults(stage)).toEqual([{ text: "new", is_error: false }]);
    await play.ask("use old");
    const [refused] = lastResults(stage);
    expect(refused!.text).toContain("No such tool available: mcp__shop__old");
  });

  test("one config serves several sessions at once", async () => {
    const host = await openShop(transport, [named("a"), named("b")]);
    const sessions = [1, 2, 3].map(async () => {
      const stage = await setStage({ rules: [calling("use", "b", {}), answer("b")] });
      const play = new Performance(stage, { mcpServers: { shop: host.mcpServerConfig() } });
      await play.ask("use it", 60_000);
      return lastResults(stage);
    });
    const result = [{ text: "b", is_error: false }];
    expect(await Promise.all(sessions)).toEqual([result, result, result]);
  });
});

/** What stands in the newest tool result. */
function blocksOf(body: { messages: { content: unknown }[] } | null): unknown[] {
  const blocks = body?.messages.flatMap(({ content: each }) => (Array.isArray(each) ? each : []));
  const result = blocks?.findLast((block: { type: string }) => block.type === "tool_result");
  return (result as { content: unknown[] } | undefined)?.content ?? [];
}
