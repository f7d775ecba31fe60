import type { StreamToolHost } from "../../../bridge/index.ts";
import { fromWire } from "../../../wire/error-wire.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { JsonObject } from "../../../wire/json.ts";
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
import type { Choice } from "./choose-host.ts";
import { chooseHost, whyNot } from "./choose-host.ts";
import type { Hosts, JoinedHost } from "./hosts.ts";
import { localMark } from "./local-mark.ts";
import type { Move, Moves } from "./moves.ts";
import { stopAt } from "./stop-at-host.ts";
import { takeOver } from "./take-over-agent.ts";

export interface RemoteAgentOptions {
  readonly team: Team;
  readonly spec: AgentSpec;
  readonly placement: Placement;
  readonly mark: RunMark;
  readonly hosts: Hosts;
  readonly assignments: Assignments;
  readonly moves: Moves;
  readonly rehearsed: boolean;
}

const never = new AbortController().signal;
const LOOK_AGAIN_MS = 2000;

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

  async untilStartable(
    onWait: (why: string) => void,
    signal: AbortSignal,
    conversation?: string,
  ): Promise<void> {
    await this.#place(onWait, signal, conversation);
  }

  async moveTo(
    host: string,
    force: boolean,
    accepted: () => void,
  ): Promise<{ readonly from?: string }> {
    const { spec, placement, hosts, moves, rehearsed } = this.#options;
    const { id } = spec;
    const from = this.#assignment?.host;
    const wanted = this.#move?.host ?? from;
    const data = { agent_id: id, host };
    // Back to where it still is: that takes back a move which waits.
    if (host === from && host === wanted)
      throw errorOf("wrong_state", `${id} is on ${host} already.`, {
        data,
        hint: "'switchboard status' shows which agent runs where.",
      });
    if (host !== from) {
      const { name, says } = hosts.require(host);
      const why = says && whyNot({ id, rehearsed }, { name, says });
      if (why !== undefined)
        throw errorOf("not_allowed", `${id} cannot run on ${host}: ${why}.`, {
          data,
          hint: "Choose another host, or join it in another way.",
        });
    }
    accepted();
    await moves.want(id, { host, force }, placement);
    return from === undefined ? {} : { from };
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
    const { host, assignment } = await this.#place(() => {}, signal, resume);
    const { term, brought, lost } = assignment;
    // Its process is on the host that it had before, and so is its conversation, unless it was brought.
    const wasThere = before === undefined || before === host.name;
    const isThere = wasThere || (resume !== undefined && brought === resume);
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
        mark: wasThere ? localMark(this.#mark) : {},
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
      ...(resume !== undefined &&
        !isThere && { forgot: lost ?? `it was on ${before}, and ${host.name} does not have it` }),
      gone: untilGone(host, agent, run),
      openSession: (trying) => tunnel.open({ kind: "session", agent, run }, trying),
    };
  }

  async stop(askedMs: number, cut = false): Promise<StopOutcome> {
    const name = this.#mark["host"] ?? this.#assignment?.host;
    const host = name === undefined ? undefined : this.#options.hosts.reachable(name);
    if (!host) return "not_seen";
    return stopAt(host, this.#options.spec.id, this.#mark, { askedMs, cut });
  }

  get #assignment(): Assignment | undefined {
    return this.#options.assignments.of(this.#options.spec.id);
  }

  /**
   * Gives the agent to a host, which is there. Waits until one fits, and until no other host has it any more.
   *
   * @param conversation comes along.
   */
  async #place(
    onWait: (why: string) => void,
    signal: AbortSignal,
    conversation: string | undefined,
  ): Promise<{ host: JoinedHost; assignment: Assignment }> {
    const { spec, hosts, assignments } = this.#options;
    for (;;) {
      const current = this.#assignment?.host;
      const choice = this.#choose(current);
      const host = "host" in choice ? hosts.reachable(choice.host) : undefined;
      if (host && (current === undefined || current === host.name))
        return { host, assignment: await assignments.assign(spec.id, host.name) };
      const outcome =
        host && current !== undefined
          ? await takeOver({
              ...this.#options,
              current,
              to: host,
              mark: this.#mark,
              term: (this.#assignment?.term ?? 0) + 1,
              force: this.#move?.force === true,
              conversation,
              onWait,
              signal,
            })
          : undefined;
      signal.throwIfAborted();
      if (host && outcome && "free" in outcome) {
        const assignment = await assignments.assign(spec.id, host.name, outcome.free);
        hosts.announce();
        return { host, assignment };
      }
      const why = outcome && "wait" in outcome ? outcome.wait : "wait" in choice && choice.wait;
      if (typeof why === "string") onWait(why);
      await hosts.untilChange(signal, LOOK_AGAIN_MS);
    }
  }

  get #move(): Move | undefined {
    const { moves, spec, placement } = this.#options;
    return moves.of(spec.id, placement);
  }

  #choose(current: string | undefined): Choice {
    const { spec, rehearsed, hosts } = this.#options;
    const move = this.#move;
    const placement = move ? { host: move.host } : this.#options.placement;
    return chooseHost({ id: spec.id, placement, rehearsed, current }, hosts.candidates);
  }
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
