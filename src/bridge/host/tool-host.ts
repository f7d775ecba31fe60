/// <reference lib="esnext.disposable" preserve="true" />
import { errorOf } from "../../wire/errors.ts";
import type { TransportType } from "../../wire/ipc-files.ts";
import { DEFAULT_TRANSPORT, transportTypes } from "../../wire/ipc-files.ts";
import type { Tool } from "../tool/define-tool.ts";
import { checkName } from "../tool/tool-and-host-names.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { Endpoint } from "./endpoint.ts";
import { OfferedTools, schemasOf } from "./offered-tools.ts";
import type { SdkServerConfig, SdkServerFactory } from "./sdk-endpoint.ts";
import { openSdkEndpoint } from "./sdk-endpoint.ts";
import type { StdioServerConfig } from "./stdio-config.ts";
import { openStdioEndpoint } from "./stdio-endpoint.ts";

/** A day. */
const MAX_WAIT_MS = 86_400_000;

export type HostState = "created" | "started" | "stopped";

export interface ToolHostOptions {
  /** Letters, digits, `_` and `-`. Use it as the server's key, too: tools are `mcp__<key>__<tool>`. */
  readonly name: string;
  readonly tools: readonly Tool[];
  /** `auto` is `stdio`. `sdk` is for sessions of the Agent SDK in this process. */
  readonly transport?: TransportType;
  /**
   * Where the socket and the schema file are created, under stable names, so that running sessions find the next
   * host. By default a new private directory.
   */
  readonly directory?: string;
}

export interface StdioToolHostOptions extends ToolHostOptions {
  readonly transport?: "auto" | "stdio";
  /**
   * How long calls of idempotent tools wait for the next host in `directory` after this one was killed, in
   * milliseconds; 30,000 by default.
   */
  readonly waitForHostMs?: number;
}

export interface SdkToolHostOptions<Config extends SdkServerConfig> extends ToolHostOptions {
  readonly transport: "sdk";
  /** The Agent SDK's `createSdkMcpServer`. */
  readonly sdkServer: SdkServerFactory<Config>;
}

/** Offers tools to any number of sessions at once. The handlers run in this process. */
export interface ToolHost<Config = StdioServerConfig> extends AsyncDisposable {
  readonly name: string;
  readonly state: HostState;

  /**
   * Resolves with the host itself when sessions can reach it. A host that fails to start is stopped.
   *
   * @throws `host_state` when it was started or stopped before; `bridge_startup`; `socket_in_use` and
   * `socket_path_invalid` for the directory.
   */
  start(): Promise<ToolHost<Config>>;

  /** The server's entry in `mcpServers`. @throws `host_state` unless the host is started. */
  mcpServerConfig(): Config;

  /**
   * Replaces all tools. Running sessions are informed. Running calls go on.
   *
   * @throws `tool_invalid`; `host_state` when the host is stopped; `bridge_startup` when the list cannot be written.
   * Nothing has changed then.
   */
  replaceTools(tools: readonly Tool[]): void;

  /**
   * Offers only these of the host's tools; without names, all of them again.
   *
   * @throws `tool_not_found`, and what `replaceTools` throws. Nothing has changed then.
   */
  filterTools(names?: readonly string[]): void;

  /**
   * Answers every open call with an error, closes the connections and removes the files. Idempotent, at any time. The
   * files are also removed when the process ends otherwise, except by SIGKILL.
   */
  stop(): Promise<void>;
}

/** @throws `tool_invalid` for an unusable name or tool; `invalid_params`. */
export function createToolHost(options: StdioToolHostOptions): ToolHost;
export function createToolHost<Config extends SdkServerConfig>(
  options: SdkToolHostOptions<Config>,
): ToolHost<Config>;
export function createToolHost<Config extends SdkServerConfig>(
  options: StdioToolHostOptions | SdkToolHostOptions<Config>,
): ToolHost<StdioServerConfig | Config> {
  checkOptions(options);
  return new Host<StdioServerConfig | Config>(options, async (offer) =>
    options.transport === "sdk"
      ? openSdkEndpoint(offer, options.sdkServer)
      : openStdioEndpoint(offer, options),
  );
}

/** For callers without TypeScript. */
function checkOptions(options: {
  transport?: TransportType;
  sdkServer?: unknown;
  waitForHostMs?: number;
}): void {
  const { transport = DEFAULT_TRANSPORT, sdkServer, waitForHostMs = 0 } = options;
  if (!Number.isInteger(waitForHostMs) || waitForHostMs < 0 || waitForHostMs > MAX_WAIT_MS) {
    throw errorOf("invalid_params", `waitForHostMs cannot be ${String(waitForHostMs)}.`, {
      hint: `It is a whole number of milliseconds, at most ${MAX_WAIT_MS}.`,
    });
  }
  if (!transportTypes.includes(transport)) {
    throw errorOf("invalid_params", `There is no transport ${JSON.stringify(transport)}.`, {
      hint: `Use one of ${transportTypes.join(", ")}.`,
    });
  }
  if (transport === "sdk" && typeof sdkServer !== "function") {
    throw errorOf("invalid_params", "The transport sdk needs the factory sdkServer.", {
      hint: "Give it the Agent SDK's createSdkMcpServer.",
    });
  }
}

class Host<Config> implements ToolHost<Config> {
  readonly name: string;
  readonly #open: (offer: OfferedTools) => Promise<Endpoint<Config>>;
  readonly #offer: OfferedTools;
  /** All tools; the host may offer only some of them. */
  #tools: ToolSet;
  #starting: Promise<Endpoint<Config>> | undefined;
  #endpoint: Endpoint<Config> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(
    { name, tools }: ToolHostOptions,
    open: (offer: OfferedTools) => Promise<Endpoint<Config>>,
  ) {
    checkName("tool host", name);
    this.name = name;
    this.#open = open;
    this.#tools = new ToolSet(tools);
    this.#offer = new OfferedTools(name, this.#tools);
  }

  get state(): HostState {
    if (this.#stopping) return "stopped";
    return this.#endpoint ? "started" : "created";
  }

  async start(): Promise<this> {
    if (this.#starting || this.#stopping) throw this.#wrongState("start", "It starts once.");
    try {
      this.#starting = this.#open(this.#offer);
      this.#endpoint = await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (this.#stopping) throw this.#wrongState("start", "It was stopped meanwhile.");
    return this;
  }

  mcpServerConfig(): Config {
    if (this.#endpoint && !this.#stopping) return this.#endpoint.config;
    throw this.#wrongState("give its config", "Call start() first, and stop() last.");
  }

  replaceTools(tools: readonly Tool[]): void {
    const all = new ToolSet(tools);
    this.#offerNow(all);
    this.#tools = all;
  }

  filterTools(names?: readonly string[]): void {
    this.#offerNow(names ? this.#tools.only(names) : this.#tools);
  }

  async stop(): Promise<void> {
    await (this.#stopping ??= this.#shutDown());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #offerNow(tools: ToolSet): void {
    if (this.#stopping) throw this.#wrongState("offer other tools", "Create a new host.");
    // Before sessions are informed: they must then read the new list.
    this.#endpoint?.announce(schemasOf(tools));
    this.#offer.replace(tools);
  }

  async #shutDown(): Promise<void> {
    await this.#offer.stop();
    const endpoint = await this.#starting?.catch(() => undefined);
    await endpoint?.close();
  }

  #wrongState(action: string, hint: string) {
    const state = this.#starting && !this.#endpoint ? "starting" : this.state;
    return errorOf("host_state", `The tool host ${this.name} cannot ${action}: it is ${state}.`, {
      data: { state },
      hint,
    });
  }
}
