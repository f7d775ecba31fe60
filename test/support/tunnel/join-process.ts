import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { JournalEntry } from "../../../src/rehearsal/journal.ts";
import { RehearsalClient } from "../../../src/rehearsal/rehearsal-client.ts";
import type { TeamStage } from "../team-stage.ts";

export interface JoinOptions {
  readonly script?: string;
  /** The command line that runs it elsewhere. */
  readonly through?: readonly string[];
}

/** `switchboard join` with a state directory of its own: it stands for another machine. */
export class JoinProcess {
  readonly name: string;
  readonly stateDir: string;
  out = "";
  errors = "";
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;

  constructor(
    stage: TeamStage,
    name: string,
    url: string,
    args: string[] = [],
    env: Record<string, string> = {},
    { script = stage.scriptFile, through = [] }: JoinOptions = {},
  ) {
    this.name = name;
    this.stateDir = join(stage.root, `state-of-${name}`);
    const work = join(stage.root, `work-of-${name}`);
    for (const directory of [this.stateDir, work])
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    const place = ["--bus", url, "--host", name, "--state-dir", this.stateDir];
    const command = ["join", ...place, "--rehearsal", script, ...args];
    this.child = stage.spawn(command, env, "ignore", { cwd: work, through });
    this.child.stdout?.on("data", (chunk) => (this.out += String(chunk)));
    this.child.stderr?.on("data", (chunk) => (this.errors += String(chunk)));
    this.exited = new Promise((resolve) => this.child.on("close", resolve));
    onTestFinished(async () => {
      if (this.child.exitCode === null) this.child.kill("SIGKILL");
      await this.exited;
    });
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    if (this.child.signalCode === null) await once(this.child, "exit");
  }

  /** The machine loses its power: all that runs there is gone, as far as it is one of these programs. */
  async losePower(stage: TeamStage, programs: readonly string[] = [""]): Promise<void> {
    await this.kill();
    for (const { pid, command } of stage.processes())
      if (command.includes(this.stateDir) && programs.some((each) => command.includes(each)))
        process.kill(pid, "SIGKILL");
  }

  /** The requests that an agent's conversation has made here. */
  async requests(agent: string): Promise<JournalEntry[]> {
    const file = join(this.stateDir, "rehearsal.json");
    if (!existsSync(file)) return [];
    const { url } = JSON.parse(readFileSync(file, "utf8")) as { url: string };
    const journal = await new RehearsalClient(url).journal();
    return journal.filter((entry) => entry.kind === "main" && entry.agent === agent);
  }
}
