import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import type { StartOptions } from "../../src/engine/engine.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineEvent, TurnEndedEvent } from "../../src/engine/events.ts";
import type { EngineMessage } from "../../src/engine/to-sdk-message.ts";
import type { PermissionDecision, PermissionRequest } from "../../src/engine/ask-permission.ts";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import type { Rehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import { tempDir } from "./temp-dir.ts";
import { Trail } from "./trail.ts";

/** A place to run a CLI in: its own settings, its own working directory, and a scripted model. */
export interface Stage {
  cwd: string;
  configDir: string;
  rehearsal: Rehearsal;
  env: Record<string, string>;
}

/** A script that names files is made for the working directory. */
export async function setStage(
  script: ScriptInput | ((cwd: string) => ScriptInput),
): Promise<Stage> {
  const [cwd, configDir] = [tempDir(), tempDir()];
  const rehearsal = await startRehearsal({
    script: typeof script === "function" ? script(cwd) : script,
  });
  onTestFinished(() => rehearsal.close());
  const env = {
    ...rehearsalEnvironment(rehearsal.url),
    CLAUDE_CONFIG_DIR: configDir,
    // Shells of tools are killed here: start-up files of the machine's owner must not be in the middle
    // of something then.
    HOME: configDir,
  };
  return { cwd, configDir, rehearsal, env };
}

export type Told = EngineEvent | ({ type: "ask" } & PermissionRequest);

/** A session on a stage, with everything that it told. */
export class Performance extends Trail<Told> {
  readonly engine: Engine;
  /** What to answer when a tool wants to run. */
  decide: (request: PermissionRequest) => Promise<PermissionDecision> = async () => ({
    allow: true,
  });

  constructor(stage: Stage, options: Partial<StartOptions> = {}) {
    super();
    this.engine = new Engine({
      cwd: stage.cwd,
      settingSources: [],
      ...options,
      env: { ...stage.env, ...options.env },
      decide: (request) => {
        this.add({ type: "ask", ...request });
        return this.decide(request);
      },
      onEvent: (event) => this.add(event),
    });
    onTestFinished(() => this.engine.close());
  }

  say(text: string, more: Pick<EngineMessage, "quiet" | "priority"> = {}): string {
    const id = randomUUID();
    this.engine.push({ id, content: text, ...more });
    return id;
  }

  /** Says it, and waits for the end of the turn that answers it. */
  async ask(text: string, withinMs = 60_000): Promise<TurnEndedEvent> {
    const since = this.told.length;
    const id = this.say(text);
    const fits = ({ messages }: TurnEndedEvent) => messages.includes(id);
    return this.until("turn_ended", { since, fits, withinMs });
  }
}
