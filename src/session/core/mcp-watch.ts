import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../../engine/engine.ts";
import type { McpServer } from "../../wire/session-terms.ts";
import type { Recorder } from "./recorder.ts";
import type { Timers } from "./timers.ts";

const PENDING_LOOK_MS = 100;

/** The CLI's word for a server's state, and ours. One that a newer CLI may use counts as not yet known. */
const statusWords: Record<string, McpServer["status"]> = {
  connected: "connected",
  failed: "failed",
  "needs-auth": "needs_auth",
  disabled: "disabled",
};

/** Tells the state of the MCP servers when it changes, and names those that failed. */
export class McpWatch {
  readonly #recorder: Recorder;
  readonly #timers: Timers;
  /** The CLI that is being asked. */
  #looking: Engine | undefined;

  constructor(recorder: Recorder, timers: Timers) {
    this.#recorder = recorder;
    this.#timers = timers;
  }

  /** Looks now, and again while servers are on their way up. Rejects when the CLI is gone. */
  async look(engine: Engine): Promise<void> {
    if (this.#looking === engine) return;
    this.#looking = engine;
    try {
      while (engine.open && this.#tell((await engine.mcpServers()).map(toWire))) {
        await new Promise<void>((resolve) => this.#timers.after(PENDING_LOOK_MS, resolve));
      }
    } finally {
      if (this.#looking === engine) this.#looking = undefined;
    }
  }

  /** True while one of them is pending. */
  #tell(servers: McpServer[]): boolean {
    const known = this.#recorder.state.mcpServers ?? [];
    if (!isDeepStrictEqual(servers, known)) {
      this.#recorder.tell({ type: "mcp_status", servers });
      for (const server of servers) {
        const before = known.find(({ name }) => name === server.name);
        if (server.status === "failed" && before?.status !== "failed") this.#tellFailure(server);
      }
    }
    return servers.some(({ status }) => status === "pending");
  }

  #tellFailure({ name, error }: McpServer): void {
    this.#recorder.tell({
      type: "notice",
      code: "mcp_server_failed",
      message: `The MCP server ${name} did not start${error === undefined ? "" : `: ${error}`}. Its tools (mcp__${name}__…) are missing.`,
      hint: "Run the server's command by hand and read what it prints.",
      data: { server: name, type: "BridgeStartupError" },
    });
  }
}

const toWire = ({
  name,
  status,
  tools,
  error,
}: Awaited<ReturnType<Engine["mcpServers"]>>[number]): McpServer => ({
  name,
  status: statusWords[status] ?? "pending",
  ...(tools.length > 0 && { tools }),
  ...(error !== undefined && { error }),
});
