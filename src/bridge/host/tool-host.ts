/// <reference lib="esnext.disposable" preserve="true" />
import { errorOf } from "../../wire/errors.ts";
import type { TransportType } from "../../wire/ipc-files.ts";
import { DEFAULT_TRANSPORT, transportTypes } from "../../wire/ipc-files.ts";
import type { Tool } from "../tool/define-tool.ts";
import { checkName } from "../tool/name.ts";
import { ToolSet } from "../tool/tool-set.ts";
import type { Door } from "./door.ts";
import { Offer, schemasOf } from "./offer.ts";
import type { SdkServerConfig, SdkServerFactory } from "./sdk-door.ts";
import { openSdkDoor } from "./sdk-door.ts";
import type { StdioServerConfig } from "./stdio-config.ts";
import { openStdioDoor } from "./stdio-door.ts";

export type HostState = "created" | "started" | "stopped";

export interface ToolHostOptions {
  /** Letters, digits, `_` and `-`. Use it as the server's key, too: tools are `mcp__<key>__<tool>`. */
  readonly name: string;
  readonly tools: readonly Tool[];
  /** `auto` is `stdio`. `sdk` is for sessions of the Agent SDK in this process. */
  readonly transport?: TransportType;
  /**
   * Where the socket and the schema file shall be, under names that stay the same, so that running
   * sessions find the next host. By default a new private directory.
   */
  readonly directory?: string;
}

export interface StdioToolHostOptions extends ToolHostOptions {
  readonly transport?: "auto" | "stdio";
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
   * Offers these tools from now on, all of them. Running sessions are told. Calls that run go on.
   *
   * @throws `tool_invalid`; `host_state` when the host is stopped; `bridge_startup` when the list cannot
   * be written. Then nothing has changed.
   */
  replaceTools(tools: readonly Tool[]): void;

  /**
   * Offers only these of the host's tools; without names, all of them again.
   *
   * @throws `tool_not_found`, and what `replaceTools` throws. Then nothing has changed.
   */
  filterTools(names?: readonly string[]): void;

  /**
   * Answers every open call with an error, closes the connections and removes the files. May be called
   * at any time and again. When the process ends otherwise, unless by SIGKILL, the files go too.
   */
  stop(): Promise<void>;
}

/** @throws `tool_invalid` when the name cannot be used, or what `tools` holds; `invalid_params`. */
export function createToolHost(options: StdioToolHostOptions): ToolHost;
export function createToolHost<Config extends SdkServerConfig>(
  options: SdkToolHostOptions<Config>,
): ToolHost<Config>;
export function createToolHost<Config extends SdkServerConfig>(
  options: StdioToolHostOptions | SdkToolHostOptions<Config>,
): ToolHost<StdioServerConfig | Config> {
  checkTransport(options);
  return new Host<StdioServerConfig | Config>(options, async (offer) =>
    options.transport === "sdk"
      ? openSdkDoor(offer, options.sdkServer)
      : openStdioDoor(offer, options.directory),
  );
}

/** Not everybody has a compiler that looks. */
function checkTransport(options: { transport?: TransportType; sdkServer?: unknown }): void {
  const { transport = DEFAULT_TRANSPORT, sdkServer } = options;
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
  readonly #open: (offer: Offer) => Promise<Door<Config>>;
  readonly #offer: Offer;
  /** All that there are; the offer may be some of them. */
  #tools: ToolSet;
  #starting: Promise<Door<Config>> | undefined;
  #door: Door<Config> | undefined;
  #stopping: Promise<void> | undefined;

  constructor({ name, tools }: ToolHostOptions, open: (offer: Offer) => Promise<Door<Config>>) {
    checkName("tool host", name);
    this.name = name;
    this.#open = open;
    this.#tools = new ToolSet(tools);
    this.#offer = new Offer(name, this.#tools);
  }

  get state(): HostState {
    if (this.#stopping) return "stopped";
    return this.#door ? "started" : "created";
  }

  async start(): Promise<this> {
    if (this.#starting || this.#stopping) throw this.#wrongState("start", "It starts once.");
    try {
      this.#starting = this.#open(this.#offer);
      this.#door = await this.#starting;
    } catch (error) {
      await this.stop();
      throw error;
    }
    if (this.#stopping) throw this.#wrongState("start", "It was stopped meanwhile.");
    return this;
  }

  mcpServerConfig(): Config {
    if (this.#door && !this.#stopping) return this.#door.config;
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
    // Before anybody is told: whoever asks then must read the new list.
    this.#door?.announce(schemasOf(tools));
    this.#offer.replace(tools);
  }

  async #shutDown(): Promise<void> {
    await this.#offer.stop();
    const door = await this.#starting?.catch(() => undefined);
    await door?.close();
  }

  #wrongState(action: string, hint: string) {
    const state = this.#starting && !this.#door ? "starting" : this.state;
    return errorOf("host_state", `The tool host ${this.name} cannot ${action}: it is ${state}.`, {
      data: { state },
      hint,
    });
  }
}
