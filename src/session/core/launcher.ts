import type { StartOptions } from "../../engine/engine.ts";
import { Engine } from "../../engine/engine.ts";
import type { EngineEvent } from "../../engine/events.ts";
import type { OpenCall } from "../../engine/recovery/open-call.ts";
import type { RecoveryPlan } from "../../engine/recovery/plan.ts";
import type { Beginning } from "../../engine/recovery/recover.ts";
import { configDirOf, recover } from "../../engine/recovery/recover.ts";
import { findTranscript, readTranscript } from "../../engine/recovery/transcript.ts";
import type { CallToTell } from "../state/session-state.ts";
import type { Parts } from "./parts.ts";
import { originOf, sessionIdOf } from "./parts.ts";
import { standingGrants } from "./standing-grants.ts";

type Lost = "cli_lost" | "host_lost";

/** The CLI takes no budget of 0: this one lasts for one more request to the model. */
const LEAST_BUDGET_USD = 1e-6;

export interface Launched {
  engine: Engine;
  /** Further messages may follow those that the CLI was started with. */
  takesMessages: Promise<void>;
}

/** Starts CLIs for the session: the first one, and those that take up what another has left. */
export class Launcher {
  readonly #parts: Parts;
  readonly #onEvent: (event: EngineEvent, engine: Engine) => void;
  /** What earlier hosts have spent. */
  readonly #spentBefore: number;
  #launches = 0;

  constructor(parts: Parts, onEvent: (event: EngineEvent, engine: Engine) => void) {
    this.#parts = parts;
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

  /** How a session begins of which the CLI has written nothing. A copy is made anew then. */
  #beginning(): Beginning {
    const origin = originOf(this.#parts);
    const sessionId = sessionIdOf(this.#parts);
    if (!origin) return { sessionId };
    const { resume } = origin;
    return origin.fork === true ? { resume, fork: true, sessionId } : { resume };
  }

  /** Where the next CLI begins to count. A copy goes on from what the session cost that it is a copy of. */
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
      openTurn: turns.isOpen,
      calls: [...cut, ...finished, ...calls].map(openCall),
    };
    const { engine, plan, pushed } = recover(
      this.#startOptions(() => engine),
      sessionIdOf(this.#parts),
      unfinished,
      this.#beginning(),
    );
    this.#follow(plan, this.#launches === 0 ? "host_lost" : "cli_lost");
    return { engine, takesMessages: pushed };
  }

  /** What the plan means for the log. */
  #follow(plan: RecoveryPlan, stopReason: Lost): void {
    const { inbox, approvals, turns, recorder } = this.#parts;
    for (const uuid of plan.seen) inbox.markSeen(uuid);
    approvals.supersedeAllBut(plan.park?.request_id);
    const messages = inbox.inTranscript();
    if (plan.rerun) turns.expectResumption({ stopReason, messages });
    else turns.endAsLost({ stopReason, messages }, plan.answer);
    if (plan.unproven) {
      recorder.tell({
        type: "notice",
        code: "recovery_untested",
        message:
          "Recovery was not tried on this version of Claude Code; the safest path was taken.",
      });
    }
  }

  #startOptions(self: () => Engine): StartOptions {
    const { options, log, control, approvals } = this.#parts;
    const { log: _log, sessionId: _id, origin: _origin, timers: _timers, ...cli } = options;
    const { state } = log;
    const model = state.modelAlias ?? state.model ?? cli.model;
    const effort = state.effort ?? cli.effort;
    const grants = standingGrants(state.grants, cli.settings);
    return {
      ...cli,
      ...grants,
      permissionMode: control.mode,
      ...(model !== undefined && { model }),
      ...(effort && { effort }),
      ...this.#budgetLeft(),
      allowedTools: [...(cli.allowedTools ?? []), ...grants.allowedTools],
      disallowedTools: [...(cli.disallowedTools ?? []), ...grants.disallowedTools],
      decide: (request) => approvals.ask(request),
      onEvent: (event) => this.#onEvent(event, self()),
    };
  }

  /** A CLI counts what it spends itself; the budget is for all of them. */
  #budgetLeft(): Pick<StartOptions, "maxBudgetUsd"> {
    const { options, log } = this.#parts;
    if (options.maxBudgetUsd === undefined) return {};
    const left = options.maxBudgetUsd - (log.state.costUsd - this.#spentBefore);
    return { maxBudgetUsd: Math.max(left, LEAST_BUDGET_USD) };
  }
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
