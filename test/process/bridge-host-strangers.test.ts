import type { SpawnOptions } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
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

const nothing = { read: "EACCES", connect: "EACCES", listen: "EACCES" };

/** What becomes of another user's tries to use the host's files. */
const tryAll = async (files: string[], options?: SpawnOptions): Promise<unknown> =>
  JSON.parse(await start("bridge-stranger.ts", files, options).nextLine());

// Only root can start a process as another user.
describe.runIf(process.getuid?.() === 0)("another user", () => {
  test("can neither read the schema file nor connect, wherever the files are", async () => {
    // The worst case: what the host does not forbid is allowed.
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    for (const directory of [undefined, join(sharedDir(), "below")]) {
      const host = await startHost(directory);
      host.filterTools(["t"]);
      const files = host.mcpServerConfig().args.slice(1, 3);
      expect(await tryAll(files, asStranger)).toEqual(nothing);
      expect(await tryAll(files)).toMatchObject({ connect: "connected", listen: "EADDRINUSE" });
    }
  });

  test("cannot take the host's place while it is away", async () => {
    const shared = sharedDir();
    await expect(startHost(shared)).rejects.toMatchObject({ code: "bridge_startup" });
    const host = await startHost(join(shared, "below"));
    const files = host.mcpServerConfig().args.slice(1, 3);
    await host.stop();
    expect(await tryAll(files, asStranger)).toEqual(nothing);
    expect(await tryAll(files)).toMatchObject({ connect: "ENOENT", listen: "listens" });
  });
});
