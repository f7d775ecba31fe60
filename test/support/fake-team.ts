import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TeamClient } from "../../src/team/core.ts";
import { connectTeamOnce } from "./connect-team.ts";
import { openControl } from "../../src/team/control/serve-control-socket.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { parseTeam } from "../../src/team/file/load-team.ts";
import type { Team } from "../../src/team/file/team.ts";
import { LocalHost } from "../../src/team/host/local/local-host.ts";
import { runTeam } from "../../src/team/run-team.ts";
import type { RunningTeam } from "../../src/team/running-team.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import type { TeamEvent, TeamEventOf } from "../../src/wire/team/events.ts";
import type { Brain } from "./fake-agent.ts";
import { FakeAgent } from "./fake-agent.ts";
import { FakeHost } from "./fake-host.ts";
import { memoryDir } from "./temp-dir.ts";
import { Trail } from "./trail.ts";

interface FakeTeamOptions {
  readonly root?: string;
  readonly stateDir?: string;
  /** Agents that cannot start. */
  readonly broken?: readonly string[];
  /** The test starts bridges of its own, so the program is built. */
  readonly withBridges?: boolean;
}

/**
 * The real team in this process, with its rules, bus, tasks and control socket, and with agents whose
 * models the test plays. Nothing is started, so a test takes milliseconds.
 */
export class FakeTeam extends Trail<TeamEvent> {
  readonly root: string;
  readonly stateDir: string;
  team: Team;
  readonly agents = new Map<string, FakeAgent>();
  readonly #withBridges: boolean;
  #running: RunningTeam | undefined;
  #down: (() => Promise<void>) | undefined;

  private constructor(yaml: string, root: string, stateDir: string, withBridges: boolean) {
    super();
    this.#withBridges = withBridges;
    this.root = root;
    this.stateDir = stateDir;
    mkdirSync(join(root, "work"));
    this.team = this.#read(yaml);
  }

  #read(yaml: string): Team {
    const text = `name: fake\nconfirm_roles: false\n${yaml}`;
    return parseTeam(text, "team.yaml", join(this.root, "work"));
  }

  /** @param brains what each agent of the file does with what it is told. */
  static async up(
    yaml: string,
    brains: Record<string, Brain>,
    options: FakeTeamOptions = {},
  ): Promise<FakeTeam> {
    const { root = memoryDir(), broken = [], withBridges = false } = options;
    const { stateDir = join(root, "state") } = options;
    const fake = new FakeTeam(yaml, root, stateDir, withBridges);
    for (const id of fake.team.agents.keys()) {
      const agent = new FakeAgent(id, pathsOfAgent(fake.stateDir, id));
      agent.brain = brains[id] ?? agent.brain;
      agent.isBroken = broken.includes(id);
      await agent.session.start();
      fake.agents.set(id, agent);
    }
    onTestFinished(() => fake.stop());
    await fake.start();
    return fake;
  }

  /** Also again, after `stop`: the same state directory and the same sessions. */
  async start(): Promise<void> {
    const control = await openControl({
      stateDir: this.stateDir,
      version: "0",
      onDown: () => {},
    });
    const { team, stateDir } = this;
    const running = await runTeam({ team, stateDir, host: this.newHost() });
    control.serve(running);
    const { timeline } = running.teamRecords;
    // What was told while it started stands in memory: nothing can happen between this and the next line.
    for await (const events of timeline.after(running.firstSeq))
      events.forEach((event) => this.add(event));
    timeline.subscribe((events) => events.forEach((event) => this.add(event)));
    this.#running = running;
    this.#down = async () => {
      await running.stop();
      await control.close();
    };
    for (const agent of running.agents.values()) {
      // One that a person has stopped has a reason, and stays so.
      const isComing = (): boolean =>
        ["starting", "confirming"].includes(agent.state) ||
        (agent.state === "stopped" && agent.reason === undefined);
      while (isComing()) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }

  /** Where the next process of the team runs its agents: it finds the sessions of this test. */
  newHost(): LocalHost {
    const { team, stateDir } = this;
    const Host = this.#withBridges ? LocalHost : FakeHost;
    return new Host({ team, stateDir, directory: undefined, environmentOf: () => ({}) });
  }

  async stop(): Promise<void> {
    await this.#down?.();
    this.#down = undefined;
  }

  get running(): RunningTeam {
    if (!this.#running) throw new Error("The team is not up.");
    return this.#running;
  }

  /** Another team file, from the next start on. Its agents must have been in the first one. */
  change(yaml: string): void {
    this.team = this.#read(yaml);
  }

  agent(id: string): FakeAgent {
    const agent = this.agents.get(id);
    if (!agent) throw new Error(`There is no agent ${id}.`);
    return agent;
  }

  /** Says something to the lead, and waits for the answer. */
  async ask(text: string): Promise<TeamEventOf<"answered">> {
    const id = await this.running.send(text);
    return this.until("answered", { fits: (event) => event.id === id });
  }

  connect(): Promise<TeamClient> {
    return connectTeamOnce(controlSocket(this.stateDir));
  }

  refusals(): string[] {
    return this.told.flatMap((event) => (event.type === "refused" ? [event.error.code] : []));
  }
}
