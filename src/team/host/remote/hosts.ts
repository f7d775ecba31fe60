import type { Duplex } from "node:stream";
import type { StreamToolHost } from "../../../bridge/index.ts";
import type { Clock } from "../../../time/clock.ts";
import { pause } from "../../../time/abortable-waits.ts";
import type { Carriers } from "../../../tunnel/carrier.ts";
import type { LinkEvent } from "../../../tunnel/tunnel.ts";
import { Tunnel } from "../../../tunnel/tunnel.ts";
import { Windows } from "../../../tunnel/windows.ts";
import { check } from "../../../wire/check-message.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { HostSays } from "../../../wire/host.ts";
import { HostSaysSchema, HostStreamSchema } from "../../../wire/host.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import { Changes } from "../../agents/wait-for-change.ts";
import type { HostNotice } from "../agent-host.ts";
import type { Assignments } from "./assignments.ts";
import type { Candidate } from "./choose-host.ts";

/** A host that was heard of. */
export interface JoinedHost {
  readonly name: string;
  readonly tunnel: Tunnel;
  says: HostSays | undefined;
  /** By our own steady clock. */
  heardMs: number;
}

export interface HostsOptions {
  readonly carriers: Carriers;
  readonly clock: Clock;
  readonly assignments: Assignments;
}

/** With the lease it is less than the time after which a host has certainly stopped its agents. */
const SILENT_MS = 7000;

/** The machines that have joined the team, and the ways to them. */
export class Hosts {
  readonly #options: HostsOptions;
  readonly #windows = new Windows();
  readonly #hosts = new Map<string, JoinedHost>();
  readonly #tools = new Map<AgentId, StreamToolHost>();
  readonly #changes = new Changes();
  readonly #openedMs: number;
  #onNotice: (notice: HostNotice) => void = () => {};

  constructor(options: HostsOptions) {
    this.#options = options;
    this.#openedMs = options.clock.steadyMs();
    options.carriers.onPeer((name) => this.#add(name));
  }

  onNotice(listener: (notice: HostNotice) => void): void {
    this.#onNotice = listener;
  }

  tell(notice: HostNotice): void {
    this.#onNotice(notice);
  }

  /** The host, if it has joined and can be reached. */
  reachable(name: string): JoinedHost | undefined {
    const host = this.#hosts.get(name);
    return host?.says && host.tunnel.isJoined ? host : undefined;
  }

  /** @throws `agent_unavailable` when it cannot be reached. */
  require(name: string): JoinedHost {
    const host = this.reachable(name);
    if (host) return host;
    throw errorOf("agent_unavailable", `The host ${name} cannot be reached.`, {
      data: { host: name },
      hint: `Run 'switchboard join --host ${name}' there, or wait until its network is back.`,
    });
  }

  get candidates(): Candidate[] {
    const { assignments } = this.#options;
    return [...this.#hosts.keys()].flatMap((name) => {
      const says = this.reachable(name)?.says;
      return says ? [{ name, says, agents: Object.keys(assignments.at(name)).length }] : [];
    });
  }

  /** When the host was last heard; the beginning of this process when it never was. */
  silentMs(name: string): number {
    const heardMs = this.#hosts.get(name)?.heardMs ?? this.#openedMs;
    return this.#options.clock.steadyMs() - heardMs;
  }

  /** Resolves when something has changed, or after the time. @throws the signal's reason. */
  async untilChange(signal: AbortSignal, ms: number): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let looks = 0;
    const changed = this.#changes.until(() => ((looks += 1) > 1 ? true : undefined), either);
    await Promise.race([changed.catch(() => {}), pause(ms, either, this.#options.clock)]);
    over.abort();
    signal.throwIfAborted();
  }

  /** The tools of an agent, for bridges of any host that has it. */
  offer(agent: AgentId, tools: StreamToolHost): void {
    this.#tools.set(agent, tools);
  }

  toolsOf(agent: AgentId): StreamToolHost | undefined {
    return this.#tools.get(agent);
  }

  /** Hosts hear at once what they may run. */
  announce(): void {
    for (const { tunnel } of this.#hosts.values()) tunnel.beat();
  }

  close(): void {
    for (const { tunnel } of this.#hosts.values()) tunnel.close();
  }

  #add(name: string): void {
    const { carriers, clock, assignments } = this.#options;
    const tunnel = new Tunnel({
      carrier: carriers.to(name),
      clock,
      windows: this.#windows,
      accept: (about) => this.#accept(name, about),
      // Until the records have been read, nothing is known of what the host may run. And a host that is not heard may still
      // hear this: then its lease must run out, since that is what a move waits for.
      says: () =>
        assignments.epoch === undefined || this.silentMs(name) > SILENT_MS
          ? undefined
          : { epoch: assignments.epoch, agents: assignments.at(name) },
      onLink: (event) => this.#linked(host, event),
    });
    const host: JoinedHost = { name, tunnel, says: undefined, heardMs: clock.steadyMs() };
    this.#hosts.set(name, host);
  }

  #linked(host: JoinedHost, event: LinkEvent): void {
    const { name } = host;
    if (event.type === "said") {
      const said = check(HostSaysSchema, event.says, "host");
      if (!said.ok) return;
      host.heardMs = this.#options.clock.steadyMs();
      const isNew = host.says === undefined;
      host.says = said.value;
      if (isNew) this.#onNotice({ level: "info", message: `The host ${name} has joined.` });
      else return;
    } else if (event.type === "lost") {
      if (host.says)
        this.#onNotice({
          level: "warn",
          message: `The host ${name} is lost: ${event.why}.`,
          hint: "Its agents go on when it is back. Look there whether 'switchboard join' runs.",
        });
      host.says = undefined;
    } else if (event.type === "other_version") {
      this.#onNotice({
        level: "warn",
        message: `The host ${name} speaks version ${event.version} of the tunnel, which this version does not.`,
        hint: "Install the same version of Switchboard on all machines of the team.",
      });
    }
    this.#changes.happened();
  }

  /** What a host asks for: the tools of an agent that it has. */
  async #accept(name: string, about: JsonObject): Promise<(stream: Duplex) => void> {
    const asked = check(HostStreamSchema, about, "stream");
    if (!asked.ok) throw asked.error;
    if (asked.value.kind !== "tools")
      throw errorOf("not_allowed", "A host may only ask for the tools of its agents.");
    const { agent } = asked.value;
    const tools = this.#tools.get(agent);
    if (!tools || this.#options.assignments.of(agent)?.host !== name)
      throw errorOf("not_allowed", `The host ${name} does not have the agent ${agent}.`);
    return (stream) => tools.serve(stream);
  }
}
