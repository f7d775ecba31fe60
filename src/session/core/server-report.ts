import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../../engine/engine.ts";
import type { McpServer } from "../../wire/session-terms.ts";
import { McpServerSchema } from "../../wire/session-terms.ts";
import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";

/** Servers come up beside the first turns; one that has not done so by then is told as it is. */
const WATCH_MS = 60_000;
const STEP_MS = 100;

/**
 * Tells which MCP servers a CLI has, and their tools, as they come up: before the first turn, because a
 * client may want to wait for them, and the CLI speaks of them by itself only in a turn.
 */
export async function reportServers(
  engine: Engine,
  recorder: Recorder,
  timers: Timers,
): Promise<void> {
  for (let waitedMs = 0; engine.open && waitedMs <= WATCH_MS; waitedMs += STEP_MS) {
    const servers = (await engine.mcpServers()).flatMap(inOurTerms);
    if (!isDeepStrictEqual(servers, recorder.state.mcpServers ?? [])) {
      recorder.tell({ type: "mcp_status", servers });
    }
    if (servers.every(({ status }) => status !== "pending")) return;
    await new Promise<void>((resolve) => timers.after(STEP_MS, resolve));
  }
}

function inOurTerms(server: Omit<McpServer, "status"> & { status: string }): McpServer[] {
  const status = server.status.replaceAll("-", "_");
  const parsed = McpServerSchema.safeParse({ ...server, status });
  return parsed.success ? [parsed.data] : [];
}
