import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { TeamRun } from "../team-stage.ts";
import type { TeamStage } from "../team-stage.ts";

/** `switchboard up --bus` with a state directory of its own: it stands for another machine that can run the team. */
export class OfficeProcess {
  readonly name: string;
  readonly stateDir: string;
  readonly run: TeamRun;
  readonly child: ChildProcess;
  readonly #stage: TeamStage;

  constructor(stage: TeamStage, name: string, url: string, args: string[] = []) {
    this.name = name;
    this.#stage = stage;
    this.stateDir = join(stage.root, `office-${name}`);
    mkdirSync(this.stateDir, { recursive: true, mode: 0o700 });
    const place = ["--bus", url, "--host", name, "--state-dir", this.stateDir];
    const model = ["--rehearsal", stage.scriptFile, "--no-web", "--json"];
    this.child = stage.spawn(["up", stage.teamFile, ...place, ...model, ...args]);
    this.run = new TeamRun(stage, this.child);
    onTestFinished(() => this.run.end());
  }

  /** Says something to the lead, and waits for the answer. */
  async ask(text: string): Promise<string> {
    const place = ["--json", "--state-dir", this.stateDir];
    const { code, out, err } = await this.#stage.run("send", text, ...place);
    if (out === "") throw new Error(`no answer (${code}): ${err} ${this.run.errors}`);
    return (JSON.parse(out) as { text: string }).text;
  }

  answered(text: string): Promise<unknown> {
    return this.run.until("answered", { since: 0, fits: (event) => event.text === text });
  }
}
