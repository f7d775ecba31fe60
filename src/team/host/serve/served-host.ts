import type { Duplex } from "node:stream";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageVersion } from "../../../files/package-version.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import type { Clock } from "../../../time/clock.ts";
import { unlessAborted } from "../../../time/abortable-waits.ts";
import type { Carrier } from "../../../tunnel/carrier.ts";
import { joinStreams } from "../../../tunnel/join-streams.ts";
import type { LinkEvent } from "../../../tunnel/tunnel.ts";
import { Tunnel } from "../../../tunnel/tunnel.ts";
import { check } from "../../../wire/check-message.ts";
import { toWire } from "../../../wire/error-wire.ts";
import { errorOf } from "../../../wire/errors.ts";
import { HostStreamSchema, TeamSaysSchema } from "../../../wire/host.ts";
import type { HostSays } from "../../../wire/host.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { AgentLog, HostNotice } from "../agent-host.ts";
import type { AgentPaths } from "../local/agent-paths.ts";
import { pathsOfAgent } from "../local/agent-paths.ts";
import { sweepAfterKill } from "../local/agent-process.ts";
import { answerRequest } from "./answer-requests.ts";
import type { RequestHandlers } from "./answer-requests.ts";
import { HostedAgents } from "./hosted-agents.ts";
import {
  installConversation,
  keepPart,
  listConversation,
  readConversation,
} from "./conversation-files.ts";
import type { ConversationPlace } from "./conversation-files.ts";
import type { LeaseBook, LeaseFact } from "./lease-book.ts";
import { nextLeases, whyRefused } from "./lease-book.ts";
import { writeLease } from "../local/write-lease.ts";

export interface ServedHostOptions {
  readonly carrier: Carrier;
  readonly clock: Clock;
  /** Absolute, and this host's alone. */
  readonly stateDir: string;
  /** Where relative working directories begin. */
  readonly directory: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The only agents that it runs. By default any. */
  readonly agents?: readonly AgentId[];
  readonly environmentOf: (agent: AgentId) => Record<string, string>;
  readonly rehearsed: boolean;
  readonly program?: string;
  readonly onNotice: (notice: HostNotice) => void;
}

const TICK_MS = 1000;
/** Leases of running agents are written no more often. */
const LEASE_STEP_MS = 2000;
const never = new AbortController().signal;

/** This machine as a host of a team elsewhere: it runs the agents that the team gives to it. */
export class ServedHost {
  /** Resolves when another process has joined under this host's name. Its agents have ended then. */
  readonly displaced: Promise<void>;
  readonly #options: ServedHostOptions;
  readonly #agents: HostedAgents;
  readonly #tunnel: Tunnel;
  readonly #file: string;
  readonly #onDisplaced: () => void;
  #book: LeaseBook;
  /** When the lease of each agent was written last. */
  readonly #leases = new Map<AgentId, number>();
  #cancelTick = (): void => {};

  constructor(options: ServedHostOptions) {
    this.#options = options;
    const displaced = Promise.withResolvers<void>();
    this.displaced = displaced.promise;
    this.#onDisplaced = displaced.resolve;
    this.#file = join(options.stateDir, "terms.json");
    this.#book = readBook(this.#file);
    this.#agents = new HostedAgents({
      ...options,
      toolsOf: (agent, { name, schemas }) => ({
        name,
        schemas,
        serve: (bridge) => void this.#toTools(agent, bridge),
        stop: async () => {},
      }),
      onNotice: ({ agent, ...notice }) =>
        options.onNotice({ ...notice, message: `${agent}: ${notice.message}` }),
    });
    const says: HostSays = {
      version: packageVersion,
      labels: { ...options.labels },
      rehearsed: options.rehearsed,
      ...(options.agents && { agents: [...options.agents] }),
    };
    this.#tunnel = new Tunnel({
      carrier: options.carrier,
      clock: options.clock,
      accept: (about, signal) => this.#accept(about, signal),
      says: () => says as JsonObject,
      onLink: (event) => this.#linked(event),
    });
    this.#tick();
  }

  /** Ends its agents in stages, each bounded, and leaves the team. */
  async close(): Promise<void> {
    this.#cancelTick();
    this.#tunnel.close();
    await this.#agents.end();
  }

  #tick(): void {
    const { clock } = this.#options;
    this.#apply({ type: "tick", nowMs: clock.steadyMs() });
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick());
  }

  #apply(fact: LeaseFact): void {
    const before = this.#book;
    const [book, ended] = nextLeases(before, fact);
    this.#book = book;
    const { epoch, terms } = book;
    // It outlives this process: what was refused once stays refused.
    if (epoch !== before.epoch || terms !== before.terms)
      replaceFile(this.#file, `${JSON.stringify({ epoch, terms })}\n`, { durable: true });
    for (const [agent, { namedMs }] of book.runs) {
      if (namedMs - (this.#leases.get(agent) ?? -Infinity) < LEASE_STEP_MS) continue;
      writeLease(this.#pathsOf(agent));
      this.#leases.set(agent, namedMs);
    }
    for (const { agent, why } of ended) {
      this.#options.onNotice({ level: "warn", message: `${agent} is stopped here: ${why}.` });
      void this.#agents.stop(agent, {}, 0).catch(() => {});
    }
  }

  #linked(event: LinkEvent): void {
    const { onNotice, clock } = this.#options;
    switch (event.type) {
      case "joined":
        return onNotice({ level: "info", message: "The team is there." });
      case "lost":
        return onNotice({ level: "warn", message: `The team cannot be reached: ${event.why}.` });
      case "other_version":
        return onNotice({
          level: "warn",
          message: `The team speaks version ${event.version} of the tunnel, which this version does not.`,
          hint: "Install the same version of Switchboard on all machines of the team.",
        });
      case "displaced":
        void this.close().then(this.#onDisplaced);
        return;
      case "said": {
        const says = check(TeamSaysSchema, event.says, "team");
        if (says.ok) this.#apply({ type: "said", says: says.value, nowMs: clock.steadyMs() });
      }
    }
  }

  async #accept(about: JsonObject, signal: AbortSignal): Promise<(stream: Duplex) => void> {
    const asked = check(HostStreamSchema, about, "stream");
    if (!asked.ok) throw asked.error;
    const stream = asked.value;
    if (stream.kind === "request")
      return (requests) => void answerRequest(requests, this.#handlers);
    if (stream.kind === "tools")
      throw errorOf("not_allowed", "The tools are those of the team, not of a host.");
    const session = await this.#agents.run(stream.agent, stream.run).openSession(signal);
    return (peer) => joinStreams(peer, session);
  }

  /** A bridge that reaches no tools is told so by the end of its connection. */
  async #toTools(agent: AgentId, bridge: Duplex): Promise<void> {
    bridge.on("error", () => {});
    try {
      joinStreams(bridge, await this.#tunnel.open({ kind: "tools", agent }, never));
    } catch {
      bridge.destroy();
    }
  }

  async #log(agent: AgentId): Promise<AgentLog> {
    const log = await this.#agents.leftovers(agent).openLog(agent);
    if (log) return log;
    throw errorOf("log_damaged", `${agent} has written no log here.`);
  }

  readonly #handlers: RequestHandlers = {
    start: async (request, signal) => {
      const { agent, epoch, term } = request;
      const { agents: own, clock } = this.#options;
      this.#refuseOld(request);
      if (own && !own.includes(agent))
        throw errorOf("not_allowed", `This host runs only ${own.join(", ")}.`);
      if (request.rehearsed !== this.#options.rehearsed)
        throw errorOf("not_allowed", "The team and this host do not have the same kind of model.");
      // Before its process: from then on it counts.
      this.#apply({ type: "started", agent, epoch, term, nowMs: clock.steadyMs() });
      return this.#agents.start(request, signal);
    },
    until_gone: async ({ agent, run }, signal) => {
      const { why, killed } = await unlessAborted(this.#agents.run(agent, run).gone, signal);
      return { why: toWire(why), killed };
    },
    stop: async ({ agent, mark, asked_ms, cut }) => {
      const outcome = await this.#agents.stop(agent, mark, asked_ms, cut);
      this.#apply({ type: "stopped", agent });
      return { outcome };
    },
    dismiss: async ({ agent, mark }) => {
      await this.#agents.stop(agent, mark, 0);
      return {};
    },
    end_runs: async ({ marks }) => {
      const ended = await Promise.all(
        Object.entries(marks).map(async ([agent, mark]) =>
          this.#agents.leftovers(agent).endRuns(new Map([[agent, mark]])),
        ),
      );
      return { agents: ended.flat() };
    },
    release: async ({ agents, clear }) => {
      await this.#agents.release(agents, clear);
      return {};
    },
    sweep: async () => {
      await sweepAfterKill();
      return {};
    },
    open_log: async ({ agent }) => {
      const log = await this.#agents.leftovers(agent).openLog(agent);
      return log ? { log_id: log.logId } : {};
    },
    history: async ({ agent, before, limit, whole }) => {
      const log = await this.#log(agent);
      const page = await log.history(before, limit, whole === undefined ? {} : { whole });
      return { events: page.events as unknown as JsonObject[], more: page.more };
    },
    blob: async ({ agent, blob, offset, limit }) => {
      const part = await (await this.#log(agent)).readBlob(blob, offset, limit);
      return { ...part, data: Buffer.from(part.data).toString("base64") };
    },
    list_files: async (request) => ({ files: await listConversation(this.#placeOf(request)) }),
    read_file: async (request) => {
      const part = await readConversation(this.#placeOf(request), request);
      return { data: Buffer.from(part).toString("base64") };
    },
    write_file: async (request) => {
      this.#refuseOld(request);
      const data = Buffer.from(request.data, "base64");
      await keepPart(this.#placeOf(request), { ...request, data });
      return {};
    },
    install_files: async (request) => {
      this.#refuseOld(request);
      await this.#agents.stop(request.agent, {}, 0, true);
      await installConversation(this.#placeOf(request), request.files);
      return {};
    },
  };

  /** @throws `superseded` when something newer is known of the agent. */
  #refuseOld(request: { agent: AgentId; epoch: number; term: number }): void {
    const why = whyRefused(this.#book, request);
    if (why !== undefined) throw errorOf("superseded", `${request.agent} is refused here: ${why}.`);
  }

  #pathsOf(agent: AgentId): AgentPaths {
    return pathsOfAgent(this.#agents.stateDirOf(agent), agent);
  }

  #placeOf(place: Omit<ConversationPlace, "paths"> & { agent: AgentId }): ConversationPlace {
    return { ...place, paths: this.#pathsOf(place.agent) };
  }
}

/** What an earlier process of this host has heard. */
function readBook(file: string): LeaseBook {
  const none = { epoch: 0, terms: {}, runs: new Map() };
  if (!existsSync(file)) return none;
  const read: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isRecord(read) || !isRecord(read["terms"])) return none;
  const terms = Object.entries(read["terms"]).map(([agent, term]) => [agent, Number(term)]);
  return { ...none, epoch: Number(read["epoch"]), terms: Object.fromEntries(terms) };
}
