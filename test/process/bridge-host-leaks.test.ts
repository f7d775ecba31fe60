import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ToolHost } from "../../src/bridge/index.ts";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { call, connectClient } from "../support/bridge-client.ts";
import { FramePeer } from "../support/frames.ts";
import { ownTempDir } from "../support/temp-dir.ts";

const CYCLES = 1_000;
/** The others have no bridge process: a thousand starts of Node would take minutes. */
const BRIDGE_EVERY = 50;

const wait = defineTool({
  name: "wait",
  description: "Never ends.",
  input: z.object({}),
  handler: () => new Promise(() => {}),
});
const echo = defineTool({
  name: "echo",
  description: "d",
  input: { type: "object", properties: { text: { type: "string" } } },
  handler: ({ text }) => text,
});

const request = (name: string, args: object) => ({
  method: "call_tool",
  params: { name, arguments: args },
});

const held = () => ({
  descriptors: readdirSync("/proc/self/fd").length,
  handlers: ["exit", "SIGTERM", "SIGINT", "SIGHUP"].map((event) => process.listenerCount(event)),
  sockets: process.getActiveResourcesInfo().filter((each) => each.includes("Pipe")).length,
});

/** Bridge processes whose files are, or were, in this directory. */
function bridgesOf(directory: string): string[] {
  const commands = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf);
  return commands.filter((each) => each.includes("child.cjs") && each.includes(directory));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** As a session does it: a bridge process of its own, which outlives its host or does not. */
async function useAsSession(host: ToolHost, outlives: boolean): Promise<void> {
  const client = await connectClient(host.mcpServerConfig());
  expect(await call(client, "echo", { text: "hello" })).toBe("hello");
  const open = client.callTool({ name: "wait" });
  open.catch(() => {});
  if (outlives) await host.stop();
  await client.close();
}

test.runIf(process.platform === "linux")(
  "a thousand hosts come and go, in use or not, and leave no file, process, descriptor or listener",
  { timeout: 300_000 },
  async () => {
    const directory = ownTempDir();
    // What a first child process makes Node open stays.
    await using first = await createToolHost({ name: "h", tools: [wait, echo] }).start();
    await useAsSession(first, true);
    expect(bridgesOf(directory)).toEqual([]);
    const before = held();
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const host = await createToolHost({ name: "h", tools: [wait, echo] }).start();
      if (cycle % BRIDGE_EVERY === 1) await useAsSession(host, cycle % (2 * BRIDGE_EVERY) === 1);
      else if (cycle % 2 === 0) {
        const peer = await FramePeer.connect(host.mcpServerConfig().args[1]!);
        await peer.ask(request("echo", { text: "hello" }));
        if (cycle % 4 === 0) peer.send(request("wait", {}));
        if (cycle % 3 === 0) await peer.channel.close();
        host.filterTools(["echo"]);
        await host.stop();
        await peer.channel.close();
      }
      await host.stop();
    }
    await expect.poll(held).toEqual(before);
    await expect.poll(() => bridgesOf(directory)).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  },
);
