import type { EngineEvent, StartOptions } from "../../engine/index.ts";
import { Engine } from "../../engine/index.ts";
import type { Beginning, OpenCall, RecoveryPlan } from "../../engine/recovery/index.ts";
import {
  configDirOf,
  findTranscript,
  readTranscript,
  recover,
} from "../../engine/recovery/index.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import { reasonToAsk } from "../policy/apply-policy.ts";
import type { CallToTell } from "../../session-state/session-state.ts";
import type { SessionContext } from "./session-context.ts";
import { originOf, sessionIdOf } from "./session-context.ts";
import { standingGrants } from "./approvals/standing-grants.ts";

type Lost = "cli_lost" | "host_lost";

/** The CLI refuses a budget of 0; this one allows a single further request to the model. */
const LEAST_BUDGET_USD = 1e-6;

export interface Launched {
  engine: Engine;
  /** Resolves when the CLI takes messages beyond those that it was started with. */
  takesMessages: Promise<void>;
}

/** Starts the session's CLIs: the first, and those that continue the work of another. */
export class CliLauncher {
  readonly #parts: SessionContext;
  readonly #lost: { readonly isUndecided: boolean };
  readonly #onEvent: (event: EngineEvent, engine: Engine) => void;
  /** What earlier hosts spent. */
  readonly #spentBefore: number;
  #launches = 0;

  /** @param lost While it is undecided, a cut turn is not resumed: the model would not know the conversation. */
  constructor(
    parts: SessionContext,
    lost: { readonly isUndecided: boolean },
    onEvent: (event: EngineEvent, engine: Engine) => void,
  ) {
    this.#parts = parts;
    this.#lost = lost;
    this.#spentBefore = parts.log.state.costUsd;
    this.#onEvent = onEvent;
  }

  /** Throws what `Engine` and `recover` throw. */
  launch(): Launched {
    const first = this.#launches === 0;
    const { log, cost } = this.#parts;
    cost.restart(this.#costSoFar());
    const isNew = first && log.state.acceptedIds.size === 0;
    const launched = isNew ? this.#new() : this.#again();
    this.#launches += 1;
    return launched;
  }

  #new(): Launched {
    const engine: Engine = new Engine({
      ...this.#startOptions(() => engine),
      ...this.#beginning(),
    });
    return { engine, takesMessages: Promise.resolve() };
  }

  /** How to begin a session for which the CLI has no transcript yet. A fork is made again. */
  #beginning(): Beginning {
    const origin = originOf(this.#parts);
    const sessionId = sessionIdOf(this.#parts);
    if (!origin) return { sessionId };
    const { resume, at } = origin;
    if (origin.fork !== true) return { resume };
    return { resume, fork: true, sessionId, ...(at !== undefined && { resumeAt: at }) };
  }

  /** The cost from which the next CLI counts. A fork continues from the cost of its origin. */
  #costSoFar(): number {
    const configDir = configDirOf(this.#parts.options.env);
    const ids = [sessionIdOf(this.#parts), originOf(this.#parts)?.resume];
    for (const id of ids) {
      const path = id === undefined ? undefined : findTranscript(configDir, id);
      if (path !== undefined) return readTranscript(path).costUsd;
    }
    return 0;
  }

  #again(): Launched {
    const { log, inbox, turns } = this.#parts;
    const { calls, finished, cut } = log.state;
    const unfinished = {
      messages: inbox.handOver(),
      openTurn: turns.isOpen && !this.#lost.isUndecided,
      calls: this.#lost.isUndecided ? [] : [...cut, ...finished, ...calls].map(openCall),
    };
    const { recovery } = this.#parts.options;
    const { engine, plan, pushed } = recover(
      { ...this.#startOptions(() => engine), ...(recovery && { recovery }) },
      sessionIdOf(this.#parts),
      unfinished,
      this.#beginning(),
    );
    this.#follow(plan, this.#launches === 0 ? "host_lost" : "cli_lost");
    return { engine, takesMessages: pushed };
  }

  /** Applies the plan to the log. */
  #follow(plan: RecoveryPlan, stopReason: Lost): void {
    const { inbox, approvals, turns, recorder } = this.#parts;
    for (const uuid of plan.seen) inbox.markSeen(uuid);
    approvals.supersedeAllBut(plan.park?.request_id);
    const messages = inbox.inTranscript();
    if (plan.rerun) turns.expectResumption({ stopReason, messages });
    else turns.endAsLost({ stopReason, messages }, plan.answer);
    if (plan.unproven) {
      recorder.record({
        type: "notice",
        code: "recovery_untested",
        message:
          "Recovery is not tested on this version of Claude Code; the safest path was taken.",
      });
    }
  }

  #startOptions(self: () => Engine): StartOptions {
    const { options, log, modeAndModel, approvals, servers } = this.#parts;
    const { log: _log, sessionId: _id, origin: _origin, timers: _timers, ...others } = options;
    const { policy = [], addedDirectories = [], ...cli } = others;
    const { state } = log;
    const model = state.modelAlias ?? state.model ?? cli.model;
    const effort = state.effort ?? cli.effort;
    const grants = standingGrants(state.grants, cli.settings);
    return {
      ...cli,
      ...grants,
      additionalDirectories: [...new Set([...addedDirectories, ...grants.additionalDirectories])],
      ...(Object.keys(servers.all).length > 0 && { mcpServers: servers.all }),
      permissionMode: modeAndModel.mode,
      ...(model !== undefined && { model }),
      ...(effort && { effort }),
      ...this.#budgetLeft(),
      allowedTools: [...(cli.allowedTools ?? []), ...grants.allowedTools],
      disallowedTools: [...(cli.disallowedTools ?? []), ...grants.disallowedTools],
      decide: (request) => approvals.ask(request),
      elicit: (request) => approvals.elicit(request),
      ...askFirstBy(policy),
      subagentDetails: true,
      onEvent: (event) => this.#onEvent(event, self()),
    };
  }

  /** Each CLI counts only its own cost; the budget covers all of them. */
  #budgetLeft(): Pick<StartOptions, "maxBudgetUsd"> {
    const { options, log } = this.#parts;
    if (options.maxBudgetUsd === undefined) return {};
    const left = options.maxBudgetUsd - (log.state.costUsd - this.#spentBefore);
    return { maxBudgetUsd: Math.max(left, LEAST_BUDGET_USD) };
  }
}

/** Without a rule that could hold a call back, the CLI need not ask us first. */
function askFirstBy(policy: readonly PolicyRule[]): Pick<StartOptions, "askFirst"> {
  if (policy.every(({ action }) => action === "allow")) return {};
  return { askFirst: (call) => reasonToAsk(policy, call) };
}

function openCall([request_id, call]: [string, CallToTell]): OpenCall {
  const { tool, input, decision, result } = call;
  return {
    request_id,
    tool,
    input,
    ...(decision !== undefined && { decision }),
    ...(result !== undefined && { result }),
  };
}
