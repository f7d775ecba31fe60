import type { StreamToolHost } from "../../../bridge/index.ts";
import { fromWire } from "../../../wire/error-wire.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isRecord } from "../../../wire/json.ts";
import type { AgentSpec, Placement, Team } from "../../file/team.ts";
import type {
  AgentRun,
  HostedAgent,
  RunEnd,
  RunFacts,
  RunMark,
  RunSettings,
  StopOutcome,
} from "../agent-host.ts";
import { askHost } from "./ask-host.ts";
import type { Assignment, Assignments } from "./assignments.ts";
import { chooseHost } from "./choose-host.ts";
import type { Hosts, JoinedHost } from "./hosts.ts";
import { HOST_LEASE_MS } from "../lease-times.ts";

export interface RemoteAgentOptions {
  readonly team: Team;
  readonly spec: AgentSpec;
  readonly placement: Placement;
  readonly mark: RunMark;
  readonly hosts: Hosts;
  readonly assignments: Assignments;
  readonly rehearsed: boolean;
}

const never = new AbortController().signal;
const LOOK_AGAIN_MS = 2000;
const STOP_MS = 20_000;
/** Longer than its lease: two clocks do not go equally fast. */
const CERTAINLY_STOPPED_MS = HOST_LEASE_MS + 10_000;

/** An agent on a machine that has joined the team. */
export class RemoteAgent implements HostedAgent {
  readonly #options: RemoteAgentOptions;
  #mark: RunMark;
  #tools: StreamToolHost | undefined;
  #logHint: string | undefined;

  constructor(options: RemoteAgentOptions) {
    this.#options = options;
    this.#mark = options.mark;
  }

  readonly outlivesOffice = true;

  get facts(): RunFacts {
    const host = this.#assignment?.host ?? this.#mark["host"];
    return host === undefined ? {} : { host };
  }

  get logHint(): string {
    return this.#logHint ?? "Its log is on the host that runs it.";
  }

  async offerTools(tools: StreamToolHost): Promise<void> {
    this.#tools = tools;
    this.#options.hosts.offer(this.#options.spec.id, tools);
  }

  async untilStartable(onWait: (why: string) => void, signal: AbortSignal): Promise<void> {
    await this.#place(onWait, signal);
  }

  async start(
    resume: string | undefined,
    signal: AbortSignal,
    { mode, model }: RunSettings = {},
  ): Promise<AgentRun> {
    signal.throwIfAborted();
    const { team, spec, rehearsed, assignments } = this.#options;
    const { id: agent } = spec;
    const before = this.#mark["host"];
    const { host, term } = await this.#place(() => {}, signal);
    // Its conversation, and its process, are on the host that it had before.
    const isThere = before === undefined || before === host.name;
    const tools = this.#tools && { name: this.#tools.name, schemas: [...this.#tools.schemas] };
    const { tunnel } = host;
    const answer = await askHost(
      tunnel,
      {
        type: "start",
        agent,
        term,
        epoch: assignments.epoch ?? 0,
        team: team.source as unknown as JsonObject,
        mark: isThere ? localMark(this.#mark) : {},
        rehearsed,
        ...(tools && { tools }),
        ...(resume !== undefined && isThere && { resume }),
        ...(mode !== undefined && { mode }),
        ...(model !== undefined && { model }),
      },
      signal,
    );
    const { run } = answer;
    this.#mark = { host: host.name, run: JSON.stringify(answer.mark) };
    this.#logHint = answer.log_hint;
    return {
      mark: this.#mark,
      gone: untilGone(host, agent, run),
      openSession: (trying) => tunnel.open({ kind: "session", agent, run }, trying),
    };
  }

  async stop(askedMs: number): Promise<StopOutcome> {
    const name = this.#mark["host"] ?? this.#assignment?.host;
    const host = name === undefined ? undefined : this.#options.hosts.reachable(name);
    if (!host) return "not_seen";
    return stopAt(host, this.#options.spec.id, this.#mark, askedMs);
  }

  get #assignment(): Assignment | undefined {
    return this.#options.assignments.of(this.#options.spec.id);
  }

  /** Gives the agent to a host, which is there. Waits until one fits, and until no other host has it any more. */
  async #place(
    onWait: (why: string) => void,
    signal: AbortSignal,
  ): Promise<{ host: JoinedHost; term: number }> {
    const { spec, placement, rehearsed, hosts, assignments } = this.#options;
    for (;;) {
      const current = this.#assignment?.host;
      const choice = chooseHost({ id: spec.id, placement, rehearsed, current }, hosts.candidates);
      const why = "wait" in choice ? choice.wait : await this.#whyNotFree(choice.host, current);
      signal.throwIfAborted();
      const host = "host" in choice ? hosts.reachable(choice.host) : undefined;
      if (host && why === undefined) {
        const { term } = await assignments.assign(spec.id, host.name);
        if (current !== host.name) hosts.announce();
        return { host, term };
      }
      if (why !== undefined) onWait(why);
      await hosts.untilChange(signal, LOOK_AGAIN_MS);
    }
  }

  /** Two hosts never run one agent: the one that had it has stopped it, or its lease is over. */
  async #whyNotFree(chosen: string, current: string | undefined): Promise<string | undefined> {
    if (current === undefined || current === chosen) return undefined;
    const { hosts, spec } = this.#options;
    const former = hosts.reachable(current);
    if (former) {
      const stopped = await stopAt(former, spec.id, this.#mark, 0).catch(() => undefined);
      if (stopped !== undefined) return undefined;
    }
    return hosts.silentMs(current) >= CERTAINLY_STOPPED_MS
      ? undefined
      : `waits until the host ${current} has certainly stopped it`;
  }
}

async function stopAt(
  { tunnel }: JoinedHost,
  agent: string,
  mark: RunMark,
  askedMs: number,
): Promise<StopOutcome> {
  const request = { type: "stop", agent, mark: localMark(mark), asked_ms: askedMs } as const;
  const late = AbortSignal.timeout(STOP_MS + askedMs);
  return (await askHost(tunnel, request, late)).outcome;
}

/** What the host itself calls the run: its processes are not ours. */
export function localMark({ run }: RunMark): Record<string, string> {
  if (run === undefined) return {};
  const mark: unknown = JSON.parse(run);
  return isRecord(mark)
    ? Object.fromEntries(Object.entries(mark).map(([k, v]) => [k, String(v)]))
    : {};
}

/** Of a host that is lost nothing is known: then the session closes. */
async function untilGone({ tunnel }: JoinedHost, agent: string, run: string): Promise<RunEnd> {
  try {
    const { why, killed } = await askHost(tunnel, { type: "until_gone", agent, run }, never);
    return { why: fromWire(why), killed };
  } catch {
    return Promise.withResolvers<never>().promise;
  }
}
