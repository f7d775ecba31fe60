import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { Engine } from "../engine/engine.ts";
import type { TurnEndedEvent } from "../engine/events.ts";
import { onExit } from "../net/on-exit.ts";
import { rehearsalEnvironment } from "../rehearsal/environment.ts";
import { startRehearsal } from "../rehearsal/server.ts";
import { fromWire } from "../wire/error-wire.ts";
import { errorOf } from "../wire/errors.ts";
import { demoRequest, demoScript } from "./demo-script.ts";
import type { DemoEvent } from "./demo-screen.ts";
import { DemoScreen } from "./demo-screen.ts";

/** `switchboard demo`: one turn of the real CLI on a rehearsed model, in a directory that is removed. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("see one turn of the real Claude Code CLI, played from a script; needs no key")
    .option("--json", "print every event of the session as a line of JSON")
    .action(demo);
}

async function demo({ json = false }: { json?: boolean }): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "switchboard-demo-"));
  const removeRoot = () => rmSync(root, { recursive: true, force: true });
  const forget = onExit(removeRoot);
  const cwd = join(root, "work");
  mkdirSync(cwd);
  const rehearsal = await startRehearsal({ script: demoScript(cwd) });
  try {
    const env = {
      ...rehearsalEnvironment(rehearsal.url),
      CLAUDE_CONFIG_DIR: join(root, "config"),
      // The person's own shell start-up files have no part in a demo.
      HOME: root,
    };
    await playTurn(cwd, env, json ? printLine : new DemoScreen(process.stdout, cwd).show);
  } finally {
    await rehearsal.close();
    removeRoot();
    forget();
  }
}

async function playTurn(
  cwd: string,
  env: Record<string, string>,
  show: (event: DemoEvent) => void,
): Promise<void> {
  const ended = Promise.withResolvers<TurnEndedEvent>();
  show({ type: "user_message", text: demoRequest });
  await using engine = new Engine({
    cwd,
    env,
    settingSources: [],
    decide: async ({ request_id, tool }) => {
      show({ type: "approval", request_id, tool });
      return { allow: true };
    },
    onEvent: (event) => {
      show(event);
      if (event.type === "turn_ended") ended.resolve(event);
      if (event.type === "closed") ended.reject(closedEarly(event.error));
    },
  });
  engine.push({ id: randomUUID(), content: demoRequest });
  const { error } = await ended.promise;
  if (error) throw fromWire(error);
}

const closedEarly = (error: Parameters<typeof fromWire>[0] | undefined): Error =>
  error ? fromWire(error) : errorOf("cli_exited", "The session was closed before its turn ended.");

const printLine = (event: DemoEvent): void =>
  void process.stdout.write(`${JSON.stringify(event)}\n`);
