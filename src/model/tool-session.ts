import { setTimeout as delay } from "node:timers/promises";
import type { EngineEvent, EngineMessage, McpServerConfig, StartOptions } from "../engine/index.ts";
import { Engine, createSdkMcpServer } from "../engine/index.ts";
import type { CliSupport } from "../engine/cli-support.ts";
import { LIVE_SERVERS_SINCE } from "../engine/cli-support.ts";
import { learnVersion, usableCli } from "../engine/cli.ts";
import type { ToolHost } from "../bridge/index.ts";
import { createToolHost } from "../bridge/index.ts";
import { backgroundClock } from "../time/clock.ts";
import { settlesWithin } from "../time/time-limit.ts";
import { BridgeStartupError, errorOf } from "../wire/errors.ts";
import { ToolCheck } from "./check-toolset-arrived.ts";
import type { Toolset } from "./toolset.ts";

/** A machine that starts many sessions at once needs many seconds for each; a longer start hangs. */
const START_WITHIN_MS = 120_000;
/** How long a connected server may take to list its tools. */
const OFFER_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;
/** How long a Claude Code that no longer answers may take to report why. */
const GOING_MS = 2_000;

export interface ToolSessionOptions extends Omit<StartOptions, "onEvent"> {
  toolset?: Toolset | undefined;
  onEvent: (event: EngineEvent) => void;
  /** The session lacks tools, so its results do not count; close it. Called at most once. */
  onToolsMissing: (error: Error) => void;
}

type Host = ToolHost<McpServerConfig>;

/** A session with a tool host of its own. Both end together. */
export class ToolSession {
  readonly engine: Engine;
  readonly host: Host | undefined;
  readonly #check: ToolCheck | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: ToolSessionOptions, host?: Host) {
    const { toolset, onToolsMissing, onEvent, ...rest } = options;
    const own = toolset && host ? { [toolset.name]: host.mcpServerConfig() } : {};
    const check = toolset && new ToolCheck(toolset, rest.disallowedTools ?? []);
    this.host = host;
    this.#check = check;
    this.engine = new Engine({
      fleeting: true,
      ...rest,
      mcpServers: { ...rest.mcpServers, ...own },
      ...(toolset && { settings: allowing(toolset) }),
      onEvent: (event) => {
        const missing = check?.take(event);
        if (missing) onToolsMissing(missing);
        onEvent(event);
      },
    });
  }

  /** Rejects with what the host or the engine cannot start with, also `cli_too_old`; nothing is left behind then. */
  static async start(options: ToolSessionOptions): Promise<ToolSession> {
    const { toolset, claudePath } = options;
    await learnVersion(claudePath);
    if (toolset?.transport === "sdk") checkLiveServers(usableCli(claudePath).support);
    const host = toolset && (await openHost(toolset).start());
    try {
      return new ToolSession(options, host);
    } catch (error) {
      await host?.stop();
      throw error;
    }
  }

  /**
   * The session's first message. It waits for the tools: Claude Code itself would call the model without them.
   *
   * @throws `bridge_startup`; the session's own error, after its event.
   */
  async begin(message: EngineMessage): Promise<void> {
    try {
      if (this.#check) await this.#untilOffered(this.#check);
      this.engine.push(message);
    } catch (error) {
      if (!(error instanceof BridgeStartupError)) {
        await settlesWithin(this.engine.closed, GOING_MS, backgroundClock);
      }
      throw error;
    }
  }

  async #untilOffered(check: ToolCheck): Promise<void> {
    // Sent at once, answered as soon as Claude Code has started: waiting costs one request.
    let offered = check.look(await this.engine.mcpServers(START_WITHIN_MS));
    let deadline = Date.now() + OFFER_WITHIN_MS;
    while (offered !== "all") {
      // Claude Code itself reports when it has waited long enough for a server.
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
      await this.host?.stop();
    }
  }
}

/** A CLI that cannot see them would silently go without them. */
function checkLiveServers({ version, takesLiveServers }: CliSupport): void {
  if (takesLiveServers) return;
  throw errorOf("bridge_startup", `Claude Code ${version} is too old for tools over sdk.`, {
    data: { cli_version: version },
    hint: `Update Claude Code to ${LIVE_SERVERS_SINCE} or later, or offer the tools with transport: "stdio".`,
  });
}

function openHost({ name, tools, transport }: Toolset): Host {
  if (transport !== "sdk") return createToolHost({ name, tools, transport });
  return createToolHost({ name, tools, transport, sdkServer: createSdkMcpServer });
}

/** By a rule in the session's own settings: registered tools, now or later, are meant to be called. */
const allowing = ({ name }: Toolset) => ({ permissions: { allow: [`mcp__${name}`] } });
