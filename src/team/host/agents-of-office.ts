import type { StreamToolHost } from "../../bridge/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentSpec } from "../file/team.ts";
import type {
  AgentHost,
  AgentLog,
  AgentRun,
  HostedAgent,
  HostNotice,
  RunFacts,
  RunMark,
  RunSettings,
  StopOutcome,
} from "./agent-host.ts";

/**
 * This machine, for a team whose office moves between machines. An agent that is not placed on a host runs where the office is.
 * Its process and its conversation stay behind when the office moves: the next office starts it anew.
 */
export class AgentsOfOffice implements AgentHost {
  readonly #here: AgentHost;
  readonly #office: string;

  /** @param office names this state directory, and no other. */
  constructor(here: AgentHost, office: string) {
    this.#here = here;
    this.#office = office;
  }

  open(): Promise<void> {
    return this.#here.open();
  }

  onNotice(listener: (notice: HostNotice) => void): void {
    this.#here.onNotice(listener);
  }

  agent(spec: AgentSpec, mark: RunMark): HostedAgent {
    const own = markHere(mark, this.#office);
    return new AgentOfOffice(this.#here.agent(spec, own), mark, this.#office);
  }

  openLog(id: AgentId): Promise<AgentLog | undefined> {
    return this.#here.openLog(id);
  }

  dismiss(id: AgentId, mark: RunMark): void {
    this.#here.dismiss(id, markHere(mark, this.#office));
  }

  sweep(): Promise<void> {
    return this.#here.sweep();
  }

  close(options: { readonly clear: boolean }): Promise<void> {
    return this.#here.close(options);
  }

  leave(): Promise<void> {
    return this.#here.leave();
  }
}

class AgentOfOffice implements HostedAgent {
  readonly outlivesOffice = false;
  readonly #agent: HostedAgent;
  readonly #office: string;
  #mark: RunMark;

  constructor(agent: HostedAgent, mark: RunMark, office: string) {
    this.#agent = agent;
    this.#mark = mark;
    this.#office = office;
  }

  get facts(): RunFacts {
    return this.#agent.facts;
  }

  get logHint(): string {
    return this.#agent.logHint;
  }

  offerTools(tools: StreamToolHost): Promise<void> {
    return this.#agent.offerTools(tools);
  }

  untilStartable(onWait: (why: string) => void, signal: AbortSignal): Promise<void> {
    return this.#agent.untilStartable(onWait, signal);
  }

  moveTo(...move: Parameters<HostedAgent["moveTo"]>): ReturnType<HostedAgent["moveTo"]> {
    return this.#agent.moveTo(...move);
  }

  async start(
    resume: string | undefined,
    signal: AbortSignal,
    settings?: RunSettings,
  ): Promise<AgentRun> {
    const wasHere = isHere(this.#mark, this.#office);
    // A run from before the office was elsewhere: what it knows is old.
    if (!wasHere) await this.#agent.stop(0);
    const run = await this.#agent.start(wasHere ? resume : undefined, signal, settings);
    this.#mark = markAt(this.#office, run.mark, this.#mark);
    return { ...run, mark: this.#mark };
  }

  stop(askedMs: number): Promise<StopOutcome> {
    return this.#agent.stop(askedMs);
  }
}

// A mark has the newest run as its own entries, with the office that started it, and one entry for the last run at each other
// office: a process that lives on there is found when the office comes back.

const OFFICE = "office";
const formerKey = (office: string): string => `at ${office}`;

/** A run without an office is from before the team had several. */
const isHere = (mark: RunMark, office: string): boolean => (mark[OFFICE] ?? office) === office;

function markHere(mark: RunMark, office: string): RunMark {
  if (isHere(mark, office)) return runIn(mark);
  return JSON.parse(mark[formerKey(office)] ?? "{}") as RunMark;
}

const runIn = (mark: RunMark): RunMark =>
  Object.fromEntries(
    Object.entries(mark).filter(([key]) => key !== OFFICE && !key.startsWith("at ")),
  );

function markAt(office: string, run: RunMark, before: RunMark): RunMark {
  const former = Object.fromEntries(
    Object.entries(before).filter(([key]) => key.startsWith("at ")),
  );
  const last = before[OFFICE];
  if (last !== undefined && last !== office)
    former[formerKey(last)] = JSON.stringify(runIn(before));
  delete former[formerKey(office)];
  return { ...former, ...run, [OFFICE]: office };
}
