import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { EngineMessage } from "../../src/engine/to-sdk-message.ts";
import { findTranscript } from "../../src/engine/recovery/transcript.ts";
import type { HostCommand, HostEvent, HostSetting } from "./engine-host.ts";
import { isOfMainAgent, judgePersona, persona } from "./persona.ts";
import type { Stage } from "./rehearsed.ts";
import { Trail } from "./trail.ts";

const program = fileURLToPath(new URL("./engine-host.ts", import.meta.url));

type More = Partial<
  Pick<HostSetting, "claudePath" | "appendSystemPrompt" | "systemPrompt" | "forbid">
>;

/**
 * A host process that can be killed and started again on the same log; one trail over all its lives. When the
 * test is over, the system prompt of every request to the model must have had the persona.
 */
export class HostProcess extends Trail<HostEvent> {
  readonly #stage: Stage;
  readonly #setting: HostSetting;
  #process: ChildProcessWithoutNullStreams;

  constructor(stage: Stage, more: More = { appendSystemPrompt: persona }) {
    super();
    this.#stage = stage;
    this.#setting = {
      cwd: stage.cwd,
      sessionId: randomUUID(),
      logFile: join(stage.configDir, "host.log"),
      env: stage.env,
      ...more,
    };
    this.#process = this.#spawn();
    onTestFinished(async () => {
      await this.end();
      const wrong = judgePersona(stage.rehearsal.journal.entries.filter(isOfMainAgent));
      if (wrong.length > 0) throw new Error(wrong.join("; "));
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The CLI that runs now. */
  get cliPid(): number {
    const started = this.told.findLast((event) => event.type === "cli_started");
    if (started?.pid === undefined) throw new Error("the CLI has not been started");
    return started.pid;
  }

  say(text: string, more: Partial<EngineMessage> = {}): string {
    const id = randomUUID();
    this.#command({ push: { id, content: text, ...more } });
    return id;
  }

  answer(id: string, allow: boolean): void {
    this.#command({ answer: { id, allow } });
  }

  /** Decided in our log; the CLI is killed before it hears of it. */
  async answerUnheard(id: string, allow: boolean): Promise<void> {
    const since = this.told.length;
    this.#command({ answer: { id, allow, unheard: true } });
    await this.until("decided", { since });
  }

  /** Is the message in the CLI's own file? */
  onDisk(id: string): boolean {
    const path = findTranscript(this.#stage.configDir, this.#setting.sessionId);
    return path !== undefined && existsSync(path) && readFileSync(path, "utf8").includes(id);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }

  restart(): void {
    this.#process = this.#spawn();
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exit = once(this.#process, "exit");
    this.#process.stdin.end();
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 10_000);
    await exit;
    clearTimeout(timer);
  }

  #command(command: HostCommand): void {
    this.#process.stdin.write(`${JSON.stringify(command)}\n`);
  }

  #spawn(): ChildProcessWithoutNullStreams {
    const child = spawn(process.execPath, [program, JSON.stringify(this.#setting)]);
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.add(JSON.parse(line) as HostEvent);
    });
    child.stderr.pipe(process.stderr);
    child.stdin.on("error", () => {});
    return child;
  }
}
