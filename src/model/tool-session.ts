import type { StartOptions } from "../engine/engine.ts";
import { Engine } from "../engine/engine.ts";
import type { EngineEvent } from "../engine/events.ts";
import type { McpServerConfig } from "../engine/options.ts";
import { createSdkMcpServer } from "../engine/sdk-server.ts";
import type { ToolHost } from "../bridge/host/tool-host.ts";
import { createToolHost } from "../bridge/host/tool-host.ts";
import type { Tool } from "../bridge/tool/define-tool.ts";
import type { TransportType } from "../wire/ipc-files.ts";
import { errorOf } from "../wire/errors.ts";

/** Functions of this process that a session is to have as tools. */
export interface Toolset {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly transport: TransportType;
}

export interface ToolSessionOptions extends Omit<StartOptions, "onEvent"> {
  toolset?: Toolset | undefined;
  onEvent: (event: EngineEvent) => void;
  /** The session lacks tools, so that nothing it does counts; it should be closed. Called once at most. */
  onToolsMissing: (error: Error) => void;
}

/** A session with a tool host of its own. Both end together. */
export class ToolSession {
  readonly engine: Engine;
  readonly host: ToolHost<McpServerConfig> | undefined;
  #closing: Promise<void> | undefined;

  private constructor(engine: Engine, host: ToolSession["host"]) {
    this.engine = engine;
    this.host = host;
  }

  /** Rejects with what the host or the engine cannot start with; then nothing is left behind. */
  static async start(options: ToolSessionOptions): Promise<ToolSession> {
    const { toolset, onToolsMissing, onEvent, ...rest } = options;
    if (!toolset) return new ToolSession(new Engine({ ...rest, onEvent }), undefined);
    const host = await openHost(toolset).start();
    try {
      const check = new ToolCheck(toolset, rest.disallowedTools ?? []);
      const engine = new Engine({
        ...rest,
        mcpServers: {
          ...rest.mcpServers,
          [toolset.name]: host.mcpServerConfig(),
        },
        settings: allowing(toolset),
        onEvent: (event) => {
          const missing = check.take(event);
          if (missing) onToolsMissing(missing);
          onEvent(event);
        },
      });
      return new ToolSession(engine, host);
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.engine.close();
    } finally {
      await this.host?.stop();
    }
  }
}

function openHost({ name, tools, transport }: Toolset): ToolHost<McpServerConfig> {
  if (transport !== "sdk") return createToolHost({ name, tools, transport });
  return createToolHost({ name, tools, transport, sdkServer: createSdkMcpServer });
}

/** By a rule in settings of the session's own: whoever registers tools, now or later, wants them called. */
const allowing = ({ name }: Toolset) => ({ permissions: { allow: [`mcp__${name}`] } });

/** As the model sees it. */
export const seenName = (toolset: string, tool: string): string => `mcp__${toolset}__${tool}`;

const namesOf = ({ name, tools }: Toolset): string[] =>
  tools.map((tool) => seenName(name, tool.name));

/** Claude Code goes on without a server that failed, and tells only whoever looks: this one looks. */
class ToolCheck {
  readonly #toolset: string;
  readonly #expected: string[];
  #tools: string[] = [];
  #status = "absent";
  #done = false;

  constructor(toolset: Toolset, disallowed: readonly string[]) {
    this.#toolset = toolset.name;
    this.#expected = namesOf(toolset).filter((name) => !disallowed.includes(name));
  }

  take(event: EngineEvent): Error | undefined {
    if (event.type === "ready") this.#tools = event.tools;
    if (event.type === "mcp_status") {
      const own = event.servers.find(({ name }) => name === this.#toolset);
      this.#status = own?.status ?? this.#status;
    }
    if (event.type !== "turn_started" || this.#done) return undefined;
    this.#done = true;
    const missing = this.#expected.filter((name) => !this.#tools.includes(name));
    if (missing.length === 0) return undefined;
    return errorOf(
      "bridge_startup",
      `Claude Code started without the tools ${missing.join(", ")}: its server ${this.#toolset} is ${this.#status}.`,
      {
        data: { server: this.#toolset, status: this.#status, missing },
        hint: "Nothing was done. On a busy machine raise MCP_TIMEOUT, the milliseconds that Claude Code waits for a server.",
      },
    );
  }
}
