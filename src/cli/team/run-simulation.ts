import { setTimeout as delay } from "node:timers/promises";
import { RehearsalClient } from "../../rehearsal/index.ts";
import type { StartedTeam } from "../../team/index.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";
import { oneLine } from "./one-line.ts";
import { isDecidedByPolicy } from "../../client/core.ts";
import { deadlineOf, requestLine } from "./request-line.ts";

const LOOK_MS = 50;
const ASK_SCRIPT_MS = 500;
const QUOTED_CHARS = 200;

export interface Expectations {
  /** Words that the last answer must hold. */
  readonly expect?: string;
  readonly allowRefusals: boolean;
}

/** A team that plays a script: the outcome, and whether it is as expected. */
export class Simulation {
  readonly #team: StartedTeam;
  readonly #rehearsal: RehearsalClient;
  readonly #events: readonly TeamEvent[];
  /** What people would have to decide, who are not here. */
  #undecided: string[] = [];

  /** @param events all events of the team, as they come. */
  constructor(team: StartedTeam, events: readonly TeamEvent[]) {
    this.#team = team;
    this.#rehearsal = new RehearsalClient(team.rehearsalUrl ?? "");
    this.#events = events;
  }

  /**
   * Sends a message to the lead. Resolves with its answer, or with undefined as soon as it cannot succeed: the script
   * missed a request, or an agent waits for a person for too long.
   *
   * @throws `timeout`.
   */
  async say(text: string, withinMs: number): Promise<TeamEventOf<"answered"> | undefined> {
    const id = await this.#team.send(text);
    const deadline = performance.now() + withinMs;
    let lookAtScriptMs = performance.now() + ASK_SCRIPT_MS;
    while (performance.now() < deadline) {
      const found = this.#events.find((event) => event.type === "answered" && event.id === id);
      if (found?.type === "answered") {
        const isMiss = found.failed && (await this.#hasMissed());
        return isMiss ? undefined : found;
      }
      this.#undecided = this.#waitsBeyond(deadline - performance.now());
      if (this.#undecided.length > 0) return undefined;
      if (performance.now() > lookAtScriptMs) {
        if (await this.#hasMissed()) return undefined;
        lookAtScriptMs = performance.now() + ASK_SCRIPT_MS;
      }
      await delay(LOOK_MS);
    }
    const within = `${withinMs / 1000} s`;
    throw errorOf(
      "timeout",
      `The lead has not answered ${JSON.stringify(text)} within ${within}.`,
      {
        hint: "Give more time with --timeout, or look at the events with --json.",
      },
    );
  }

  /** The script had no answer. */
  async #hasMissed(): Promise<boolean> {
    return (await this.#rehearsal.failures()).length > 0;
  }

  /** What is wrong with the outcome, in words; empty when it is as expected. */
  async problems(
    last: TeamEventOf<"answered"> | undefined,
    { expect, allowRefusals }: Expectations,
  ): Promise<string[]> {
    const events = this.#events;
    const missed = await this.#rehearsal.failures();
    const refused = events.flatMap((event) => (event.type === "refused" ? [event] : []));
    const dead = events.filter((event) => event.type === "message_moved" && event.step === "dead");
    const misses = missed.map(
      ({ agent, outcome }) =>
        `the script had no answer for ${agent ?? "a request"}: ${outcome?.detail ?? "unknown"}`,
    );
    const lacks = expect !== undefined && last !== undefined && !last.text.includes(expect);
    return [
      ...new Set(misses),
      ...this.#undecided,
      ...(last?.failed === true ? [`the lead failed: ${oneLine(last.text, QUOTED_CHARS)}`] : []),
      ...(lacks
        ? [
            `the answer does not hold ${JSON.stringify(expect)}: ${oneLine(last.text, QUOTED_CHARS)}`,
          ]
        : []),
      ...(allowRefusals ? [] : refused.map(({ error }) => `refused: ${error.message}`)),
      ...(dead.length > 0 ? [`${dead.length} messages were not delivered`] : []),
    ];
  }

  /** Agents that wait for a person for longer than `ms`. */
  #waitsBeyond(ms: number): string[] {
    const end = Date.now() + ms;
    return this.#team.approvals
      .filter(({ request }) => {
        const deadline = deadlineOf(request);
        return deadline === undefined || Date.parse(deadline) > end;
      })
      .filter(({ request }) => !isDecidedByPolicy(request))
      .map(
        ({ agent, request }) =>
          `${agent} waits for a person, and no policy decides: ${requestLine(request, QUOTED_CHARS)}`,
      );
  }
}
