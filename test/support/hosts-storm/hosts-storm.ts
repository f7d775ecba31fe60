import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { RehearsalClient } from "../../../src/rehearsal/rehearsal-client.ts";
import { controlSocket } from "../../../src/team/state-dir/control-socket-path.ts";
import { connectTeamOnce } from "../connect-team.ts";
import type { Nats } from "../nats/start-nats.ts";
import { ModelWatch } from "../team-storm/model-watch.ts";
import type { HostStrike, Reading } from "../team-storm/verdict.ts";
import { judgeAnswers, judgeCopies, messagesOf, readingOf } from "../team-storm/verdict.ts";
import type { TeamRun, TeamStage } from "../team-stage.ts";
import { TimelineWatch } from "../timeline-watch.ts";
import { JoinProcess } from "../tunnel/join-process.ts";

export const strikes = [
  "join killed",
  "join stopped",
  "server killed",
  "team killed",
  "power lost",
  "move",
  "move and join killed",
] as const;
export type StrikeKind = (typeof strikes)[number];

export interface HostsStormOptions {
  readonly stage: TeamStage;
  readonly nats: Nats;
  readonly script: string;
  readonly upArgs: readonly string[];
  readonly agents: readonly string[];
  readonly hosts: readonly string[];
  readonly joinArgs: (host: string) => string[];
  readonly random: () => number;
}

const ANSWER_MS = 180_000;
const MAX_WAIT_MS = 2500;
const MAX_PAUSE_MS = 6000;
const LOOK_MS = 300;

/** A team whose agents run on several hosts, and which is struck while it works. */
export class HostsStorm {
  readonly timeline: TimelineWatch;
  readonly joins = new Map<string, JoinProcess>();
  readonly lastWords = new Map<string, string>();
  readonly #options: HostsStormOptions;
  readonly #models: ModelWatch[] = [];
  readonly #readings: Reading[] = [];
  readonly #deaths: HostStrike[] = [];
  /** Agents that two hosts ran at once. */
  readonly #twice: string[] = [];
  #isOver = false;
  #jobs = 0;
  run: TeamRun;

  private constructor(options: HostsStormOptions, run: TeamRun) {
    this.#options = options;
    this.run = run;
    this.timeline = new TimelineWatch(controlSocket(options.stage.stateDir));
    void this.#watchTwice();
  }

  static async begin(options: HostsStormOptions): Promise<HostsStorm> {
    const { stage, script, upArgs, hosts, agents } = options;
    // Joined before the team is there.
    const joins = hosts.map((host) => join(options, host));
    const run = await stage.up({ ready: [...agents], script, args: [...upArgs] });
    const storm = new HostsStorm(options, run);
    for (const each of joins) storm.joins.set(each.name, each);
    for (const { stateDir } of joins) storm.#models.push(new ModelWatch(rehearsalIn(stateDir)));
    return storm;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.timeline.close();
    await Promise.all(this.#models.map((model) => model.close()));
  }

  /** Gives the lead a job, strikes while it is done, and returns what was wrong. */
  async round(kind: StrikeKind | undefined): Promise<string[]> {
    const since = this.timeline.told.length;
    const id = randomUUID();
    this.#jobs += 1;
    const job = this.#jobs;
    const striking = kind && delay(this.#upTo(MAX_WAIT_MS)).then(() => this.#strike(kind));
    striking?.catch(() => {});
    await this.#send(`job-${job} please`, id);
    const answered = this.timeline
      .until("answered", { since, fits: (event) => event.id === id, withinMs: ANSWER_MS })
      .catch(async () => {
        const last = this.timeline.told.slice(-30).map((event) => JSON.stringify(event));
        throw new Error(
          `job-${job} was not answered:\n${last.join("\n")}\n${this.run.errors.slice(-1500)}`,
        );
      });
    await Promise.race([answered, ...(striking ? [striking.then(() => answered)] : [])]);
    await striking;
    return this.#judge(new Map([[id, job]]), kind === undefined);
  }

  /** Ids of the tool calls of all agents' models. */
  get calls(): string[] {
    return this.#models.flatMap(({ told }) => told.flatMap(({ toolUseIds }) => toolUseIds));
  }

  async #judge(jobs: ReadonlyMap<string, number>, isOver: boolean): Promise<string[]> {
    await Promise.all(this.#models.map((model) => model.caughtUp()));
    const asked = this.#models
      .flatMap(({ told }) => told)
      .filter(({ type, words }) => type === "request" && words !== "")
      .toSorted((one, other) => one.atMs - other.atMs);
    for (const { agent, words } of asked) if (agent !== null) this.lastWords.set(agent, words);
    this.#readings.push(...asked.map(readingOf));
    for (const model of this.#models) model.forget();
    const judged = messagesOf(this.timeline.told);
    return [
      ...[...this.joins.values()].flatMap(({ name, child, errors }) =>
        child.exitCode === null ? [] : [`the join of ${name} has ended: ${errors.slice(-1000)}`],
      ),
      ...judgeCopies(judged, this.#readings, { strikes: this.#deaths, isOver }),
      ...judgeAnswers(this.timeline.told, jobs),
      ...this.timeline.wrong,
      ...this.#twice,
    ];
  }

  async #watchTwice(): Promise<void> {
    for (; !this.#isOver; await delay(LOOK_MS)) {
      const processes = this.#options.stage.processes();
      for (const agent of this.#options.agents) {
        const places = processes.flatMap(({ command }) =>
          command.includes("agent-socket.js") && command.includes(`/agents/${agent}/state`)
            ? (/state-of-(h\d)/.exec(command)?.[1] ?? [])
            : [],
        );
        if (new Set(places).size > 1) this.#twice.push(`${agent} ran on ${places.join(", ")}`);
      }
    }
  }

  async #strike(kind: StrikeKind): Promise<void> {
    const { nats, hosts, agents } = this.#options;
    const host = this.#oneOf(hosts);
    const pauseMs = this.#upTo(MAX_PAUSE_MS);
    switch (kind) {
      case "join killed":
        await this.#killJoin(host, pauseMs / 3);
        return;
      case "join stopped":
        this.joins.get(host)?.child.kill("SIGSTOP");
        await delay(pauseMs);
        this.joins.get(host)?.child.kill("SIGCONT");
        return;
      case "server killed":
        await nats.server.kill();
        await delay(pauseMs / 3);
        await nats.server.start();
        return;
      case "team killed": {
        const { stage, script, upArgs } = this.#options;
        this.run.child.kill("SIGKILL");
        await this.run.exited;
        this.run = await stage.up({ ready: [], script, args: [...upArgs] });
        return;
      }
      case "power lost":
        await this.#losePower(host, pauseMs / 3);
        return;
      case "move":
        await this.#move(this.#oneOf(agents));
        return;
      case "move and join killed": {
        const moving = this.#move(this.#oneOf(agents));
        await delay(pauseMs / 10);
        await this.#killJoin(host, pauseMs / 3);
        await moving;
      }
    }
  }

  async #killJoin(host: string, pauseMs: number): Promise<void> {
    await this.joins.get(host)?.kill();
    await delay(pauseMs);
    this.joins.set(host, join(this.#options, host));
  }

  async #losePower(host: string, pauseMs: number): Promise<void> {
    const { stage, agents } = this.#options;
    const fromMs = Date.now();
    const deaths = agents.map((agent): HostStrike => ({ agent, fromMs, untilMs: Infinity }));
    this.#deaths.push(...deaths);
    await this.joins.get(host)?.losePower(stage, ["agent-socket.js", "stream-json"]);
    for (const each of deaths) each.untilMs = Date.now();
    await delay(pauseMs);
    this.joins.set(host, join(this.#options, host));
  }

  /** To another host than the one that has it, also through the death of the team or a host. */
  async #move(agent: string): Promise<void> {
    const { hosts } = this.#options;
    const deadline = Date.now() + ANSWER_MS;
    const death: HostStrike = { agent, fromMs: Date.now(), untilMs: Infinity };
    this.#deaths.push(death);
    const since = this.timeline.told.length;
    let wanted: string | undefined;
    for (;;) {
      try {
        await using client = await connectTeamOnce(controlSocket(this.#options.stage.stateDir));
        const current = client.init.agents.find(({ id }) => id === agent)?.host;
        wanted ??= this.#oneOf(hosts.filter((each) => each !== current));
        await client.request("move", { agent, host: wanted });
        break;
      } catch (error) {
        if (String(error).includes("already")) break;
        if (Date.now() > deadline) throw error;
        await delay(200);
      }
    }
    await this.timeline.until("agent_state", {
      since,
      fits: (event) => event.agent === agent && event.host === wanted && event.state !== "starting",
      withinMs: ANSWER_MS,
    });
    death.untilMs = Date.now();
  }

  /** As a careful client does: with one id, until it is known to be taken. */
  async #send(text: string, id: string): Promise<void> {
    const deadline = Date.now() + ANSWER_MS;
    for (;;) {
      try {
        await using client = await connectTeamOnce(controlSocket(this.#options.stage.stateDir));
        await client.request("send", { text, id, priority: "normal" });
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await delay(100);
      }
    }
  }

  #upTo(max: number): number {
    return this.#options.random() * max;
  }

  #oneOf(names: readonly string[]): string {
    return names[Math.floor(this.#options.random() * names.length)]!;
  }
}

function join({ stage, nats, script, joinArgs }: HostsStormOptions, host: string): JoinProcess {
  const joined = new JoinProcess(stage, host, nats.server.url, joinArgs(host), {}, { script });
  // Nobody ends one by a signal that it could hear before the end of the storm.
  void sayWhyEnded(joined);
  return joined;
}

async function sayWhyEnded(joined: JoinProcess): Promise<void> {
  const code = await joined.exited;
  if (code !== null && code > 0)
    process.stdout.write(`${joined.name}: ${code}: ${joined.errors}\n`);
}

function rehearsalIn(stateDir: string): RehearsalClient {
  const { url } = JSON.parse(readFileSync(`${stateDir}/rehearsal.json`, "utf8")) as { url: string };
  return new RehearsalClient(url);
}
