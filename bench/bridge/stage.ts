import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolHost } from "../../src/bridge/index.ts";
import { createToolHost } from "../../src/bridge/index.ts";
import type { Absence } from "../harness.ts";
import { buildBridge, buildLibraryServer } from "./built.ts";
import type { Command } from "./command.ts";
import { node } from "./command.ts";
import { findRelays } from "./peers.ts";
import { startProgram } from "./program.ts";
import { benchTools } from "./tools.ts";

/** The programs under comparison. Hosts run already; a command starts what stands before them. */
export interface Stage {
  /** With its host in a process of its own, as beside a real session. */
  bridge: Command;
  /** With its host in this process, where the client is too. */
  nearBridge: Command;
  /** As a foreign host starts it: by the IPC contract alone. */
  contractBridge: Command;
  library: Record<"bundled" | "unbundled", Command>;
  rawSocket: string;
  /** Between the client and the raw socket. */
  bareRelay: Command;
  relays: { name: string; command: Command }[];
  absent: Absence[];
  close(): Promise<void>;
}

export async function setStage(): Promise<Stage> {
  await buildBridge();
  const { relays, absent } = await findRelays();
  const directory = mkdtempSync(join(tmpdir(), "bench-bridge-"));
  const rawSocket = join(directory, "raw.sock");
  const programs = await Promise.all([
    startProgram<Command>(new URL("./programs/tool-host.ts", import.meta.url)),
    startProgram<{ url: string }>(new URL("./programs/http-host.ts", import.meta.url)),
    startProgram(new URL("./programs/raw-host.ts", import.meta.url), rawSocket),
  ]);
  const [{ ready: bridge }, { ready: httpHost }] = programs;
  const nearHost = await startNearHost();
  return {
    bridge,
    nearBridge: nearHost.mcpServerConfig(),
    contractBridge: { ...bridge, args: bridge.args.slice(0, -1) },
    library: await buildLibraryServer(),
    rawSocket,
    bareRelay: node(new URL("./programs/bare-relay.ts", import.meta.url).pathname, rawSocket),
    relays: relays.map((relay) => ({ name: relay.name, command: relay.command(httpHost.url) })),
    absent,
    async close() {
      await nearHost.stop();
      for (const program of programs) await program.close();
      rmSync(directory, { recursive: true });
    },
  };
}

export const startNearHost = (): Promise<ToolHost> =>
  createToolHost({ name: "bench", tools: benchTools }).start();
