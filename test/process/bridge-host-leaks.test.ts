import { readdirSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { FramePeer } from "../support/frames.ts";
import { tempDir } from "../support/temp-dir.ts";

const CYCLES = 1_000;

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

/** The system's temp directory, for this test alone. */
function ownTempDir(): string {
  const [directory, before] = [tempDir(), process.env["TMPDIR"]];
  process.env["TMPDIR"] = directory;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  return directory;
}

const held = () => ({
  descriptors: readdirSync("/proc/self/fd").length,
  handlers: ["exit", "SIGTERM", "SIGINT", "SIGHUP"].map((event) => process.listenerCount(event)),
  sockets: process.getActiveResourcesInfo().filter((each) => each.includes("Pipe")).length,
});

test.runIf(process.platform === "linux")(
  "a thousand hosts come and go, in use or not, and leave no file, descriptor or listener",
  async () => {
    const directory = ownTempDir();
    const before = held();
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const host = await createToolHost({ name: "h", tools: [wait, echo] }).start();
      if (cycle % 2 === 0) {
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
    expect(readdirSync(directory)).toEqual([]);
  },
);
