import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectTeamOnce } from "../connect-team.ts";
import { controlSocket } from "../../../src/team/state-dir/control-socket-path.ts";
import type { AgentState } from "../../../src/wire/team/events.ts";
import { damageOf } from "../bus-picture.ts";
import { judgePersona } from "../persona.ts";
import type { TeamRun, TeamStage, UpOptions } from "../team-stage.ts";
import { TimelineWatch } from "../timeline-watch.ts";
import type { ModelEvent } from "./model-watch.ts";
import { ModelWatch } from "./model-watch.ts";
import type { Moment, Sight } from "./moments.ts";
import { moments, untilMoment } from "./moments.ts";
import type { HostStrike, Reading } from "./verdict.ts";
import { judgeAnswers, judgeCopies, messagesOf, readingOf } from "./verdict.ts";
import type { Clocks, Victim } from "./victims.ts";
import { Crew, hostsOf, isTeam, slowdownBetween, strike, victims } from "./victims.ts";

export interface Strike {
  victim: Victim;
  moment: Moment;
}

/** What one round has shown. */
export interface Round {
  strikes: string[];
  /** From the last strike until the team and all of its agents were back. */
  backMs: number;
  /** How much longer that took than on a machine of their own, as far as they had to wait to run. */
  slowdown: number;
  wrong: string[];
}

const ANSWER_MS = 240_000;
const POLL_MS = 100;
const DEATH_POLL_MS = 10;
const STRUCK_AGAIN = 0.3;
const SECOND_JOB = 0.4;
const MAX_PAUSE_MS = 3000;
const MAX_LATER_MS = 40;
/** Older messages have been judged in many requests by then, and are once more at the end. */
const JUDGED_MESSAGES = 80;
const up: ReadonlySet<AgentState> = new Set(["ready", "working", "waiting"]);
const priorities = ["normal", "normal", "high"] as const;

const ofAgentItself = ({ id, agent, system }: ModelEvent) =>
  system === undefined ? [] : [{ id, agent, system }];

export interface StormOptions extends UpOptions {
  /** Words that stand in the system prompt of each request of this agent. */
  personaOf: (agent: string | null) => string;
}

/** A team that is given work, and struck while it does it. */
export class TeamStorm {
  readonly stage: TeamStage;
  readonly timeline: TimelineWatch;
  readonly model: ModelWatch;
  /** By id of the message, the number of the job. */
  readonly jobs = new Map<string, number>();
  /** The newest conversation of each agent. */
  readonly lastWords = new Map<string, string>();
  readonly #options: UpOptions;
  readonly #personaOf: StormOptions["personaOf"];
  readonly #random: () => number;
  readonly #crew: Crew;
  run: TeamRun;
  /** The team is being brought up again. */
  #rising: Promise<void> = Promise.resolve();
  #judgedModelEvents = 0;
  #isHalted = false;
  /** Of every request so far. */
  readonly #readings: Reading[] = [];
  readonly #hostStrikes: HostStrike[] = [];
  /** At the last strike. */
  #clocks: Clocks = new Map();

  private constructor(run: TeamRun, crew: Crew, options: StormOptions, random: () => number) {
    this.run = run;
    this.#personaOf = options.personaOf;
    this.#crew = crew;
    this.stage = run.stage;
    this.#options = options;
    this.#random = random;
    this.timeline = new TimelineWatch(controlSocket(this.stage.stateDir));
    this.model = new ModelWatch(this.stage.rehearsal);
  }

  static async begin(
    stage: TeamStage,
    options: StormOptions,
    random: () => number,
  ): Promise<TeamStorm> {
    const crew = new Crew(stage);
    return new TeamStorm(await stage.up(options), crew, options, random);
  }

  /** Strikes no more: what has failed is looked into as it is. */
  halt(): void {
    this.#isHalted = true;
  }

  async close(): Promise<void> {
    this.halt();
    await this.timeline.close();
    await this.model.close();
  }

  /** A round with this strike, or one in peace. */
  async round(planned?: Strike): Promise<Round> {
    const sending = Promise.withResolvers<void>();
    const over = new AbortController();
    const { run, timeline, model } = this;
    const sight: Sight = {
      run,
      timeline,
      model,
      random: this.#random,
      sending: sending.promise,
      over: over.signal,
    };
    const strikes: string[] = [];
    const lost = new Set<number>();
    let lastMs = performance.now();
    const hit = async (victim: Victim, name: string): Promise<void> => {
      lastMs = performance.now();
      for (const pid of this.#hit(victim)) lost.add(pid);
      strikes.push(name);
    };
    const striking =
      planned &&
      this.#when(planned, sight, hit)
        .then(() => this.#rising)
        .then(() => this.#untilBack(lost));
    // A round that has failed is not waited for any more.
    striking?.catch(() => {});
    const since = timeline.told.length;
    const jobs = await this.#giveJobs(sending.resolve);
    const answered = this.#untilAnswered(jobs, since);
    // Whichever fails first says what is wrong.
    await Promise.race([answered, ...(striking ? [striking.then(() => answered)] : [])]);
    over.abort();
    const back = await striking;
    const backMs = back === undefined ? 0 : back.atMs - lastMs;
    const { slowdown = 1 } = back ?? {};
    const wrong = await this.#judge(jobs, { isOver: planned === undefined });
    return { strikes, backMs, slowdown, wrong };
  }

  /** Waits for the moment, strikes, and maybe strikes again while all is on its way back. */
  async #when(
    { victim, moment }: Strike,
    sight: Sight,
    hit: (victim: Victim, name: string) => Promise<void>,
  ): Promise<void> {
    const random = this.#random;
    // What is chosen is chosen now, whatever comes first later.
    const laterMs = random() < 0.5 ? 0 : random() * MAX_LATER_MS;
    const again = random() < STRUCK_AGAIN;
    const second = victims[Math.floor(random() * victims.length)] ?? "team";
    const pauseMs = random() * MAX_PAUSE_MS;
    const coming = moments[moment](sight).then(() => delay(laterMs));
    const how = await untilMoment(coming, sight.over);
    await hit(victim, `${victim} at ${how === "came" ? moment : `the end for want of ${moment}`}`);
    if (!again) return;
    await this.#rising;
    await delay(pauseMs);
    await hit(second, `${second} ${Math.round(pauseMs)} ms later`);
  }

  #hit(victim: Victim): number[] {
    const { run } = this;
    if (this.#isHalted) return [];
    const { struck, lost } = this.#crew.pidsOf(run, victim);
    this.#clocks = this.#crew.clocks(run);
    const fromMs = Date.now();
    strike(struck);
    for (const agent of hostsOf(victim)) {
      const death: HostStrike = { agent, fromMs, untilMs: Infinity };
      this.#hostStrikes.push(death);
      void this.#untilGone(lost).then(() => (death.untilMs = Date.now()));
    }
    if (isTeam(victim)) this.#rising = this.#rise(run);
    return lost;
  }

  async #untilGone(pids: readonly number[]): Promise<void> {
    while (!this.#isHalted && !this.#crew.areGone(pids)) await delay(DEATH_POLL_MS);
  }

  /** The database is looked at as the dead process has left it. */
  async #rise(run: TeamRun): Promise<void> {
    await run.exited;
    const damage = damageOf(join(this.stage.stateDir, "bus.db"), this.stage.root);
    if (damage.length > 0) throw new Error(`after a kill: ${damage.join("; ")}`);
    this.run = await this.stage.up({ ...this.#options, ready: [] });
  }

  /** As a careful client does: with one id, until it is known to be taken. */
  async #giveJobs(onSending: () => void): Promise<string[]> {
    const count = this.#random() < SECOND_JOB ? 2 : 1;
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const id = randomUUID();
      const job = this.jobs.size + 1;
      const priority = priorities[Math.floor(this.#random() * priorities.length)] ?? "normal";
      this.jobs.set(id, job);
      ids.push(id);
      await this.#send({ text: `job-${job} please`, id, priority }, onSending);
    }
    return ids;
  }

  async #send(
    params: { text: string; id: string; priority: "normal" | "high" },
    onSending: () => void,
  ): Promise<void> {
    const deadline = Date.now() + ANSWER_MS;
    for (;;) {
      try {
        await using client = await connectTeamOnce(controlSocket(this.stage.stateDir));
        const sent = client.request("send", params);
        onSending();
        await sent;
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await delay(POLL_MS);
      }
    }
  }

  async #untilAnswered(ids: readonly string[], since: number): Promise<void> {
    for (const id of ids) {
      await this.timeline
        .until("answered", { since, fits: (event) => event.id === id, withinMs: ANSWER_MS })
        .catch(() => {
          const last = this.timeline.told.slice(-40).map((event) => JSON.stringify(event));
          throw new Error(`job-${this.jobs.get(id)} was not answered:\n${last.join("\n")}`);
        });
    }
  }

  async #untilBack(lost: ReadonlySet<number>): Promise<{ atMs: number; slowdown: number }> {
    const deadline = Date.now() + ANSWER_MS;
    while (Date.now() < deadline) {
      if (this.#crew.haveClis(lost) && (await this.#areUp())) {
        const slowdown = slowdownBetween(this.#clocks, this.#crew.clocks(this.run));
        return { atMs: performance.now(), slowdown };
      }
      await delay(POLL_MS);
    }
    throw new Error(`The agents are not back. ${this.run.errors.slice(-2000)}`);
  }

  async #areUp(): Promise<boolean> {
    try {
      await using client = await connectTeamOnce(controlSocket(this.stage.stateDir));
      return client.init.agents.every(({ state }) => up.has(state));
    } catch {
      return false;
    }
  }

  /** All that the round has shown; the conversations are forgotten afterwards. */
  async #judge(jobs: readonly string[], { isOver }: { isOver: boolean }): Promise<string[]> {
    // Another process has published the answer: what the model was asked for it may not have been read yet.
    await this.model.caughtUp();
    const asked = this.model.told
      .slice(this.#judgedModelEvents)
      .filter(({ type }) => type === "request");
    this.#readings.push(...asked.map(readingOf));
    const messages = messagesOf(this.timeline.told);
    const judged = isOver ? messages : messages.slice(-JUDGED_MESSAGES);
    const wrong = [
      ...judgeCopies(judged, this.#readings, { strikes: this.#hostStrikes, isOver }),
      ...judgePersona(asked.flatMap(ofAgentItself), this.#personaOf),
      ...judgeAnswers(this.timeline.told, new Map(jobs.map((id) => [id, this.jobs.get(id) ?? 0]))),
      ...damageOf(join(this.stage.stateDir, "bus.db"), this.stage.root),
      ...this.timeline.wrong,
    ];
    for (const { agent, words } of asked) if (agent !== null) this.lastWords.set(agent, words);
    this.model.forget();
    this.#judgedModelEvents = this.model.told.length;
    return wrong;
  }
}
