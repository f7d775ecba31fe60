import { setTimeout as delay } from "node:timers/promises";
import type { StartOptions } from "../engine/engine.ts";
import { Engine } from "../engine/engine.ts";
import type { EngineEvent } from "../engine/events.ts";
import type { McpServerConfig } from "../engine/options.ts";
import { createSdkMcpServer } from "../engine/sdk-server.ts";
import type { ToolHost } from "../bridge/host/tool-host.ts";
import { createToolHost } from "../bridge/host/tool-host.ts";
import type { EngineMessage } from "../engine/message.ts";
import { BridgeStartupError } from "../wire/errors.ts";
import type { PlacedServers } from "./server-file.ts";
import { placeServers } from "./server-file.ts";
import { ToolCheck } from "./tool-check.ts";
import type { Toolset } from "./toolset.ts";

/** A machine that starts many sessions at once needs many seconds for each; one that needs longer hangs. */
const START_WITHIN_MS = 120_000;
/** How long a server may take to tell its tools when it is connected. */
const OFFER_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;
/** A Claude Code that answers no more says in this time why. */
const GOING_MS = 2_000;

export interface ToolSessionOptions extends Omit<StartOptions, "onEvent"> {
  toolset?: Toolset | undefined;
  onEvent: (event: EngineEvent) => void;
  /** The session lacks tools, so that nothing it does counts; it should be closed. Called once at most. */
  onToolsMissing: (error: Error) => void;
}

type Host = ToolHost<McpServerConfig>;

/** A session with a tool host of its own. Both end together. */
export class ToolSession {
  readonly engine: Engine;
  readonly host: Host | undefined;
  readonly #check: ToolCheck | undefined;
  readonly #servers: PlacedServers;
  #closing: Promise<void> | undefined;

  private constructor(options: ToolSessionOptions, servers: PlacedServers, host?: Host) {
    const { toolset, onToolsMissing, onEvent, ...rest } = options;
    const own = toolset && host ? { [toolset.name]: host.mcpServerConfig() } : {};
    const check = toolset && new ToolCheck(toolset, rest.disallowedTools ?? []);
    this.host = host;
    this.#check = check;
    this.#servers = servers;
    this.engine = new Engine({
      fleeting: true,
      ...rest,
      mcpServers: { ...servers.here, ...own },
      ...(servers.file !== undefined && { mcpConfigFile: servers.file }),
      ...(toolset && { settings: allowing(toolset) }),
      onEvent: (event) => {
        const missing = check?.take(event);
        if (missing) onToolsMissing(missing);
        onEvent(event);
      },
    });
  }

  /** Rejects with what the host or the engine cannot start with; then nothing is left behind. */
  static async start(options: ToolSessionOptions): Promise<ToolSession> {
    const { toolset, mcpServers } = options;
    const host = toolset && (await openHost(toolset).start());
    let servers: PlacedServers | undefined;
    try {
      servers = placeServers(mcpServers);
      return new ToolSession(options, servers, host);
    } catch (error) {
      servers?.remove();
      await host?.stop();
      throw error;
    }
  }

  /**
   * The session's first message. It waits until the tools are there: Claude Code itself would ask the model
   * without them.
   *
   * @throws `bridge_startup`; what the session ended with meanwhile, but not before it has told so itself.
   */
  async begin(message: EngineMessage): Promise<void> {
    try {
      if (this.#check) await this.#untilOffered(this.#check);
      this.engine.push(message);
    } catch (error) {
      if (!(error instanceof BridgeStartupError)) {
        await Promise.race([this.engine.closed, delay(GOING_MS, undefined, { ref: false })]);
      }
      throw error;
    }
  }

  async #untilOffered(check: ToolCheck): Promise<void> {
    // Sent at once, answered as soon as Claude Code has started: to wait costs one question.
    let offered = check.look(await this.engine.mcpServers(START_WITHIN_MS));
    let deadline = Date.now() + OFFER_WITHIN_MS;
    while (offered !== "all") {
      // Claude Code itself says when it has waited long enough for a server.
      if (offered === "pending") deadline = Date.now() + OFFER_WITHIN_MS;
      if (Date.now() > deadline) throw check.late();
      await delay(LOOK_EVERY_MS);
      offered = check.look(await this.engine.mcpServers());
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
      this.#servers.remove();
      await this.host?.stop();
    }
  }
}

function openHost({ name, tools, transport }: Toolset): Host {
  if (transport !== "sdk") return createToolHost({ name, tools, transport });
  return createToolHost({ name, tools, transport, sdkServer: createSdkMcpServer });
}

/** By a rule in settings of the session's own: whoever registers tools, now or later, wants them called. */
const allowing = ({ name }: Toolset) => ({ permissions: { allow: [`mcp__${name}`] } });
