import type { ToolHost } from "../../../bridge/index.ts";
import type { McpServerConfig } from "../../../engine/index.ts";
import type { Timers } from "../../../time/clock.ts";
import { ClaudeCodeError, errorOf } from "../../../wire/errors.ts";
import type { SessionCommandOf } from "../../../wire/session/commands.ts";
import type { SessionEventOf } from "../../../wire/session/events.ts";
import type { OfferedTool } from "../../../wire/session/offered-tools.ts";
import type { Recorder } from "../event-recorder.ts";
import type { SessionServers } from "../session-servers.ts";
import type { ClientLink } from "../session-types.ts";
import { serverNameForModel } from "../server-name-for-model.ts";
import { KnownCalls } from "./open-and-ended-calls.ts";
import { OfferedCall } from "./offered-call.ts";
import type { OfferedCallRequest, ToolProgress, ToolReturn } from "./offered-call.ts";
import { makeToolHost } from "./make-tool-host.ts";

type OfferTools = SessionCommandOf<"offer_tools">;
type SdkConfig = Extract<McpServerConfig, { type: "sdk" }>;
type WithdrawReason = SessionEventOf<"tools_withdrawn">["reason"];

/** The tools of one namespace. */
interface Offer {
  readonly host: ToolHost<SdkConfig>;
  tools: ReadonlyMap<string, OfferedTool>;
  /** Of the client that offers them. */
  name: string;
  wantedName: string;
  /** Absent while that client is away. */
  owner: ClientLink | undefined;
  awayMs: number;
  cancelAway: () => void;
}

export interface OffersOptions {
  readonly recorder: Recorder;
  readonly timers: Timers;
  readonly servers: Pick<SessionServers, "offer" | "ownNames">;
  /** Names that MCP servers of this session have. */
  readonly serverNames: () => Promise<Iterable<string>>;
  /** Waits until the CLI knows these tools of a server. */
  readonly whenKnown: (server: string, tools: readonly string[]) => Promise<void>;
  /** Raised at each start of the host, so that its calls have ids of their own. */
  readonly epoch: number;
}

/** The tools that clients offer, and the calls of them. An offer lives as long as this process, or shorter. */
export class ToolOffers {
  readonly #options: OffersOptions;
  readonly #offers = new Map<string, Offer>();
  readonly #calls: KnownCalls;
  readonly #gone = new WeakSet<ClientLink>();
  /** Namespaces that no other server has: the CLI may still list the server of a withdrawn one. */
  readonly #ours = new Set<string>();
  /** Offers are taken one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: OffersOptions) {
    this.#options = options;
    this.#calls = new KnownCalls(options.epoch);
  }

  /** The host before this one had offers of clients that are not connected to this one. */
  forgetEarlier(): void {
    const { recorder } = this.#options;
    for (const { client, namespace } of recorder.state.offers.values()) {
      this.#ours.add(namespace);
      recorder.record({ type: "tools_withdrawn", client, namespace, reason: "host_restarted" });
    }
  }

  /**
   * Replaces the tools of a namespace. Resolves when the model has them.
   *
   * @throws `name_in_use`; `tool_invalid`; `execution_failed` when the CLI does not take them.
   */
  async offer(command: OfferTools, link: ClientLink): Promise<void> {
    await this.#inTurn(() => this.#offer(command, link));
  }

  /**
   * Tells all clients how far a call is: Claude Code keeps to itself what a tool reports.
   *
   * @throws `unknown_request` and `already_resolved`.
   */
  progress(told: ToolProgress, link: ClientLink): void {
    const { recorder } = this.#options;
    const call = this.#calls.ownedBy(link, told.call);
    call.progress(told);
    const { requestId: request_id } = call;
    if (request_id === undefined) return;
    const { progress, total, message } = told;
    const parent = recorder.state.calls.get(request_id)?.parent;
    recorder.record({
      type: "tool_progress",
      request_id,
      ...(parent !== undefined && { parent }),
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  }

  /** @throws `unknown_request` and `already_resolved`. */
  return(result: ToolReturn, link: ClientLink): void {
    const call = this.#calls.ownedBy(link, result.call);
    call.take({ kind: "returned" }, link, result);
    this.#calls.end(call);
  }

  /** This connection is over. Its tools wait for a client of its name. */
  left(link: ClientLink): void {
    this.#gone.add(link);
    for (const [namespace, offer] of this.#offers) {
      if (offer.owner === link) this.#ownerLeft(namespace, offer, link);
    }
  }

  /** The session ends. */
  async close(): Promise<void> {
    const offers = [...this.#offers.values()];
    this.#offers.clear();
    for (const { cancelAway } of offers) cancelAway();
    await Promise.all(offers.map(({ host }) => host.stop()));
  }

  async #offer(command: OfferTools, link: ClientLink): Promise<void> {
    const { namespace, tools, away_ms, running = [] } = command;
    if (this.#gone.has(link)) return;
    const known = this.#offers.get(namespace);
    await this.#checkName(namespace, known, link);
    this.#cancelUnknown(running, link);
    if (tools.length === 0) {
      if (known) await this.#withdraw(namespace, known, "withdrawn");
      return;
    }
    const { host, changed } = await this.#hostWith(namespace, known, tools);
    known?.cancelAway();
    const offer: Offer = known ?? {
      host,
      tools: new Map(),
      ...namesOf(link),
      owner: link,
      awayMs: away_ms,
      cancelAway: () => {},
    };
    this.#offers.set(namespace, offer);
    this.#ours.add(namespace);
    offer.tools = new Map(tools.map((tool) => [tool.name, tool]));
    Object.assign(offer, { ...namesOf(link), owner: link, awayMs: away_ms });
    this.#record(namespace, offer);
    this.#resumeCalls(namespace, offer, new Set(running));
    if (this.#gone.has(link)) this.#ownerLeft(namespace, offer, link);
    if (changed) await this.#tellCli(namespace, offer);
  }

  async #checkName(namespace: string, known: Offer | undefined, link: ClientLink): Promise<void> {
    if (known) {
      if (known.owner === link || (!known.owner && isOwnersNext(known, link))) return;
      const where = known.owner ? "" : ", which is away,";
      throw errorOf("name_in_use", `The client ${known.name}${where} offers ${namespace}.`, {
        data: { namespace, client: known.name },
      });
    }
    const { servers, serverNames } = this.#options;
    const names = this.#ours.has(namespace) ? servers.ownNames : await serverNames();
    const server = [...names].find((name) => serverNameForModel(name) === namespace);
    if (server === undefined) return;
    throw errorOf("name_in_use", `The model knows the MCP server ${server} as ${namespace}.`, {
      data: { namespace },
      hint: "Offer the tools in another namespace.",
    });
  }

  /** @throws `tool_invalid`; then nothing has changed. */
  async #hostWith(
    namespace: string,
    known: Offer | undefined,
    tools: readonly OfferedTool[],
  ): Promise<{ host: Offer["host"]; changed: boolean }> {
    const made = await makeToolHost(namespace, tools, (tool, request) =>
      this.#call(namespace, tool, request),
    );
    if (!known) return { host: await made.start(), changed: true };
    // A list that is the same costs nothing: another one makes the model read everything anew.
    const changed = JSON.stringify([...known.tools.values()]) !== JSON.stringify(tools);
    if (changed) known.host.replaceTools(made.tools);
    return { host: known.host, changed };
  }

  async #tellCli(namespace: string, offer: Offer): Promise<void> {
    try {
      await this.#setServers();
      await this.#options.whenKnown(namespace, [...offer.tools.keys()]);
    } catch (error) {
      // The next CLI is started with them.
      if (error instanceof ClaudeCodeError && error.code === "cli_exited") return;
      if (this.#offers.get(namespace) === offer) {
        await this.#withdraw(namespace, offer, "refused").catch(() => {});
      }
      throw error;
    }
  }

  async #withdraw(namespace: string, offer: Offer, reason: WithdrawReason): Promise<void> {
    offer.cancelAway();
    this.#offers.delete(namespace);
    for (const call of this.#calls.of(namespace)) {
      call.take({ kind: "given_up" }, offer.owner);
    }
    this.#options.recorder.record({
      type: "tools_withdrawn",
      client: offer.name,
      namespace,
      reason,
    });
    // The model reads why its calls have failed before the server is gone.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await this.#setServers();
    } finally {
      await offer.host.stop();
    }
  }

  #setServers(): Promise<void> {
    const configs = [...this.#offers].map(([name, { host }]) => [name, host.mcpServerConfig()]);
    return this.#options.servers.offer(Object.fromEntries(configs));
  }

  #ownerLeft(namespace: string, offer: Offer, link: ClientLink): void {
    Object.assign(offer, { owner: undefined, ...namesOf(link) });
    for (const call of this.#calls.of(namespace)) call.take({ kind: "owner_left" }, undefined);
    offer.cancelAway = this.#options.timers.after(offer.awayMs, () => {
      const withdraw = async (): Promise<void> => {
        const isAway = this.#offers.get(namespace) === offer && offer.owner === undefined;
        if (isAway) await this.#withdraw(namespace, offer, "away");
      };
      // What fails here is the CLI, of whose loss the session hears elsewhere.
      this.#inTurn(withdraw).catch(() => {});
    });
  }

  async #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    await done;
  }

  #resumeCalls(namespace: string, offer: Offer, running: ReadonlySet<string>): void {
    for (const call of this.#calls.of(namespace)) {
      const offersTool = offer.tools.has(call.toolName);
      const isRunning = running.has(call.id);
      if (offer.owner) this.#calls.give(call, offer.owner);
      call.take({ kind: "owner_came", offersTool, isRunning }, offer.owner);
    }
  }

  #cancelUnknown(running: readonly string[], link: ClientLink): void {
    for (const call of running) {
      if (!this.#calls.isOpen(call)) link.tell({ type: "tool_cancel", call, reason: "unknown" });
    }
  }

  async #call(
    namespace: string,
    tool: OfferedTool,
    request: OfferedCallRequest,
  ): Promise<ToolReturn> {
    const offer = this.#offers.get(namespace);
    const call = new OfferedCall(this.#calls.newId(), namespace, tool, request);
    this.#calls.add(namespace, call);
    const cancel = (): void => call.cancelled(this.#calls.ownerOf(call));
    request.signal.addEventListener("abort", cancel);
    try {
      if (!offer) call.take({ kind: "given_up" }, undefined);
      else if (offer.owner) {
        this.#calls.give(call, offer.owner);
        call.take({ kind: "owner_came", offersTool: true, isRunning: false }, offer.owner);
      }
      return await call.outcome;
    } finally {
      request.signal.removeEventListener("abort", cancel);
      this.#calls.end(call);
    }
  }

  #record(namespace: string, { name: client, tools }: Offer): void {
    this.#options.recorder.record({
      type: "tools_offered",
      client,
      namespace,
      tools: [...tools.keys()],
    });
  }
}

const namesOf = ({ name, wantedName }: ClientLink): Pick<Offer, "name" | "wantedName"> => ({
  name,
  wantedName,
});

/** A new connection has another name than it wants while the old one has not quite ended. */
const isOwnersNext = (offer: Offer, link: ClientLink): boolean =>
  offer.name === link.name || offer.wantedName === link.wantedName;
