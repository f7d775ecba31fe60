import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TeamClient } from "../../../src/team/core.ts";
import { connectTeamOnce } from "../connect-team.ts";
import { controlSocket } from "../../../src/team/state-dir/control-socket-path.ts";
import { damageOf } from "../bus-picture.ts";
import type { TeamRun, TeamStage } from "../team-stage.ts";
import { ModelWatch } from "../team-storm/model-watch.ts";
import { strike as kill } from "../team-storm/victims.ts";
import { TimelineWatch } from "../timeline-watch.ts";
import { roles, stormScript } from "./demo-team.ts";
import type { Strike, Victim } from "./strikes.ts";
import { untilMoment } from "./strikes.ts";

const ANSWER_MS = 240_000;
const POLL_MS = 50;

/** What the user says for a job. Only the lead may ever read it. */
const wordsOf = (job: number): string => `USER-WORDS program-${job} please`;

const isHost = (agent: string) => (command: string) =>
  command.includes("agent-socket") && command.includes(`/s/${agent}/`);
const isCli = (agent: string) => (command: string) =>
  command.includes("stream-json") && command.includes(`/agents/${agent}/`);

/** The demo's team, given one job after the other, and struck while it works. */
export class DemoStorm {
  readonly stage: TeamStage;
  readonly timeline: TimelineWatch;
  readonly model: ModelWatch;
  /** The id of each job's message. */
  readonly jobs: string[] = [];
  /** Agents whose process or CLI was killed: what their model said last may be unpaid. */
  readonly struck = new Set<string>();
  run: TeamRun;

  private constructor(run: TeamRun) {
    this.run = run;
    this.stage = run.stage;
    this.timeline = new TimelineWatch(controlSocket(this.stage.stateDir));
    this.model = new ModelWatch(this.stage.rehearsal);
  }

  static async begin(stage: TeamStage): Promise<DemoStorm> {
    return new DemoStorm(await stage.up({ ready: [...roles], script: stormScript }));
  }

  async close(): Promise<void> {
    await this.timeline.close();
    await this.model.close();
  }

  /** One job, to its answer, with these strikes, one after the other. Gives back the answer, and what was struck. */
  async round(strikes: readonly Strike[]): Promise<{ text: string; struck: Strike[] }> {
    const over = Promise.withResolvers<"over">();
    const struck: Strike[] = [];
    const striking = this.#strikeAll(strikes, struck, over.promise);
    const id = await this.#giveJob();
    const answered = this.timeline.until("answered", {
      fits: (event) => event.id === id,
      withinMs: ANSWER_MS,
    });
    // Whichever fails first says what is wrong.
    await Promise.race([answered, striking.then(() => answered)]);
    over.resolve("over");
    await striking;
    await this.#untilQuiet();
    return { text: (await answered).text, struck };
  }

  /** A moment that does not come any more before the answer is there is none of this round. */
  async #strikeAll(
    strikes: readonly Strike[],
    struck: Strike[],
    over: Promise<"over">,
  ): Promise<void> {
    for (const strike of strikes) {
      const coming = untilMoment(strike, this);
      coming.catch(() => {});
      if ((await Promise.race([coming, over])) === "over") return;
      await this.#strike(strike.victim);
      struck.push(strike);
    }
  }

  async #strike(victim: Victim): Promise<void> {
    const { run } = this;
    kill(this.#pidsOf(victim));
    const [agent = ""] = victim.split(" ");
    for (const role of victim === "all" ? roles : [agent]) this.struck.add(role);
    if (victim !== "team" && victim !== "all") return;
    await run.exited;
    const damage = damageOf(join(this.stage.stateDir, "bus.db"), this.stage.root);
    if (damage.length > 0) throw new Error(`after a kill: ${damage.join("; ")}`);
    this.run = await this.stage.up({ ready: [], script: stormScript });
  }

  #pidsOf(victim: Victim): number[] {
    const team = this.run.child.pid === undefined ? [] : [this.run.child.pid];
    if (victim === "team") return team;
    const processes = this.stage.processes();
    const pidsOf = (fits: (command: string) => boolean): number[] =>
      processes.flatMap(({ pid, command }) => (fits(command) ? [pid] : []));
    if (victim === "all") {
      return [
        ...team,
        ...roles.flatMap((role) => [...pidsOf(isHost(role)), ...pidsOf(isCli(role))]),
      ];
    }
    const [agent = "", what] = victim.split(" ");
    return pidsOf(what === "host" ? isHost(agent) : isCli(agent));
  }

  /** As a careful client does: with one id, until it is known to be taken. */
  async #giveJob(): Promise<string> {
    const id = randomUUID();
    this.jobs.push(id);
    const text = wordsOf(this.jobs.length);
    await this.#ask(async (client) => {
      await client.request("send", { text, id });
      return true;
    });
    return id;
  }

  /** No agent works any more, and no task is open: also what was asked for twice has been done. */
  async #untilQuiet(): Promise<void> {
    await this.#ask(async (client) => {
      const { agents, open_tasks } = (await client.request("status", {})) as {
        agents: { state: string; inbox: number }[];
        open_tasks: number;
      };
      return (
        open_tasks === 0 && agents.every(({ state, inbox }) => state === "ready" && inbox === 0)
      );
    });
  }

  /** Asks the team, which may be on its way up, until it says what is hoped for. */
  async #ask(isIt: (client: TeamClient) => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + ANSWER_MS;
    for (;;) {
      try {
        await using client = await connectTeamOnce(controlSocket(this.stage.stateDir));
        if (await isIt(client)) return;
        if (Date.now() > deadline) throw new Error("The team does not come to rest.");
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await delay(POLL_MS);
    }
  }
}
