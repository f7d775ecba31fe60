import { chmodSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { ToolHost } from "../../src/bridge/index.ts";
import { createToolHost, defineTool } from "../../src/bridge/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import { start } from "./fixtures/net-start.ts";
import { asStranger } from "./fixtures/stranger.ts";

async function startHost(directory?: string): Promise<ToolHost> {
  const tool = defineTool({ name: "t", description: "d", input: z.object({}), handler: () => "" });
  const options = { name: "h", tools: [tool], ...(directory !== undefined && { directory }) };
  const host = await createToolHost(options).start();
  onTestFinished(() => host.stop());
  return host;
}

/** A directory that all may write to, as /tmp is. */
function sharedDir(): string {
  const directory = tempDir();
  chmodSync(directory, 0o1777);
  return directory;
}

// Only root can start a process as somebody else.
describe.runIf(process.getuid?.() === 0)("another user", () => {
  test("can neither read the schema file nor connect, wherever the files are", async () => {
    // The worst case: what the host does not forbid is allowed.
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    for (const directory of [undefined, sharedDir()]) {
      const host = await startHost(directory);
      host.filterTools(["t"]);
      const [, socket = "", schema = ""] = host.mcpServerConfig().args;
      const stranger = start("bridge-stranger.ts", [socket, schema], asStranger);
      expect(JSON.parse(await stranger.nextLine())).toEqual({ read: "EACCES", connect: "EACCES" });
      const own = start("bridge-stranger.ts", [socket, schema]);
      expect(JSON.parse(await own.nextLine())).toMatchObject({ connect: "connected" });
    }
  });
});
