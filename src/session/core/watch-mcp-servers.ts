import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../../engine/index.ts";
import { BridgeStartupError } from "../../wire/errors.ts";
import type { McpServer } from "../../wire/session/shared-schemas.ts";
import type { Recorder } from "./event-recorder.ts";
import type { Timers } from "../../time/clock.ts";

const PENDING_LOOK_MS = 100;
/**
 * A connected server may name its tools a moment later, or have none: we look with growing pauses, this many times.
 */
const TOOLS_LOOKS = 60;
const MAX_LOOK_MS = 500;
const NOT_FOUND = /^(Executable not found in \$PATH: )"stdio"/;

/** The CLI's name of a server's state, and ours. A state that only a newer CLI uses counts as pending. */
const statusWords: Record<string, McpServer["status"]> = {
  connected: "connected",
  failed: "failed",
  "needs-auth": "needs_auth",
  disabled: "disabled",
};

/** Records the state of the MCP servers when it changes, and names those that failed. */
export class McpWatch {
  readonly #recorder: Recorder;
  readonly #timers: Timers;
  readonly #toolsOf: (server: string) => readonly string[];
  readonly #programOf: (server: string) => string | undefined;
  /** The CLI that is being asked. */
  #looking: Engine | undefined;

  /**
   * @param toolsOf the tools of a server that is not up, where they are known.
   * @param programOf the program that runs a server, where it was configured for this session.
   */
  constructor(
    recorder: Recorder,
    timers: Timers,
    toolsOf: (server: string) => readonly string[] = () => [],
    programOf: (server: string) => string | undefined = () => undefined,
  ) {
    this.#recorder = recorder;
    this.#timers = timers;
    this.#toolsOf = toolsOf;
    this.#programOf = programOf;
  }

  /** Looks now, and again while servers are starting. Rejects when the CLI is gone. */
  async look(engine: Engine): Promise<void> {
    if (this.#looking === engine) return;
    this.#looking = engine;
    let looksForTools = 0;
    try {
      while (engine.open) {
        const servers = await this.#servers(engine);
        this.#tell(servers);
        if (!servers.some(({ status }) => status === "pending")) {
          if (servers.every(hasTold) || looksForTools === TOOLS_LOOKS) return;
          looksForTools += 1;
        }
        const waitMs = Math.min(PENDING_LOOK_MS * 2 ** Math.max(0, looksForTools - 1), MAX_LOOK_MS);
        await new Promise<void>((resolve) => this.#timers.after(waitMs, resolve));
      }
    } finally {
      if (this.#looking === engine) this.#looking = undefined;
    }
  }

  async #servers(engine: Engine): Promise<McpServer[]> {
    const servers = (await engine.mcpServers()).map(toWire);
    return servers.map((server) => {
      if (server.status === "failed") return this.#withLoss(server);
      return server.status === "pending" ? { ...server, ...this.#toolsBefore(server) } : server;
    });
  }

  /** The tools that a server had before, if it names none now. */
  #toolsBefore({ name }: McpServer): { tools?: string[] } {
    const tools = this.#recorder.state.mcpServers?.find((each) => each.name === name)?.tools;
    return tools ? { tools } : {};
  }

  /** The server with the tools that are missing: those that it had, or is known to have. */
  #withLoss(server: McpServer): McpServer {
    const { tools: before } = this.#toolsBefore(server);
    const tools = server.tools ?? before ?? [...this.#toolsOf(server.name)];
    const type = { error_type: BridgeStartupError.name };
    return { ...server, ...this.#reason(server), ...type, ...(tools.length > 0 && { tools }) };
  }

  /** Claude Code names the transport instead of a program that is not there. */
  #reason({ name, error }: McpServer): { error?: string } {
    const program = this.#programOf(name);
    if (error === undefined || program === undefined) return {};
    return {
      error: error.replace(NOT_FOUND, (_, words: string) => words + JSON.stringify(program)),
    };
  }

  #tell(servers: McpServer[]): void {
    const known = this.#recorder.state.mcpServers ?? [];
    if (isDeepStrictEqual(servers, known)) return;
    this.#recorder.record({ type: "mcp_status", servers });
    for (const server of servers) {
      const before = known.find(({ name }) => name === server.name);
      if (server.status === "failed" && before?.status !== "failed") this.#tellFailure(server);
    }
  }

  #tellFailure({ name, error, tools }: McpServer): void {
    const missing = (tools ?? ["…"]).map((tool) => `mcp__${name}__${tool}`).join(", ");
    this.#recorder.record({
      type: "notice",
      code: "mcp_server_failed",
      message: `The MCP server ${name} did not start${error === undefined ? "" : `: ${error}`}. Its tools (${missing}) are missing.`,
      hint: "Run the server's command by hand and read its output.",
      data: { server: name, type: BridgeStartupError.name, ...(tools && { tools }) },
    });
  }
}

const hasTold = ({ status, tools }: McpServer): boolean =>
  status !== "connected" || tools !== undefined;

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
