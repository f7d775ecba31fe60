import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { argumentsOf, flagValue } from "../../../proc/process-arguments.ts";
import { startChild } from "../../../proc/start-child.ts";
import { isAlive, pidOf, processId } from "../../../proc/process-identity.ts";
import { loadScript, RehearsalClient } from "../../../rehearsal/index.ts";
import { rehearsalArguments } from "../../../rehearsal/rehearsal-arguments.ts";
import { errorOf } from "../../../wire/errors.ts";

interface Note {
  url: string;
  process: string;
  script: string;
}

export interface TeamRehearsal {
  readonly url: string;
  stop(): Promise<void>;
}

const START_MS = 15_000;
/** A running team is never silent for so long. */
const MIN_LINGER_MS = 20_000;
const SIGN_OF_LIFE_MS = 4000;

/**
 * The rehearsal of a state directory: a process of its own on a port that stays, so that agents that
 * outlive a killed team go on talking to it. One that runs already with the same script is used. When
 * neither agents nor a team ask for anything any more, it ends by itself.
 *
 * @throws `script_invalid`; `start_failed` when it does not come up.
 */
export async function startTeamRehearsal(
  stateDir: string,
  scriptFile: string,
  agentsLingerMs: number,
  startMs: number = START_MS,
): Promise<TeamRehearsal> {
  const script = resolve(scriptFile);
  await loadScript(script);
  const file = join(stateDir, "rehearsal.json");
  const note = readNote(file);
  // In a copy of a state directory the note speaks of the rehearsal of the original.
  const known = note && servesJournal(note, journalOf(stateDir)) ? note : undefined;
  if (known?.script === script && (await answers(known.url))) return rehearsalOf(known);
  if (known) end(known);
  const port = known ? new URL(known.url).port : "0";
  const lingerMs = Math.max(MIN_LINGER_MS, 2 * agentsLingerMs);
  const startOn = (free: string): Promise<Note> => start(stateDir, script, free, lingerMs, startMs);
  const started = await startOn(port).catch(() => startOn("0"));
  writeFileSync(file, JSON.stringify(started), { mode: 0o600 });
  return rehearsalOf(started);
}

/** Ends the rehearsal of a state directory. Returns false when none is running. */
export async function endTeamRehearsal(stateDir: string): Promise<boolean> {
  const note = readNote(join(stateDir, "rehearsal.json"));
  if (!note || !isAlive(note.process) || !servesJournal(note, journalOf(stateDir))) return false;
  await rehearsalOf(note).stop();
  return true;
}

async function start(
  stateDir: string,
  script: string,
  port: string,
  lingerMs: number,
  startMs: number,
): Promise<Note> {
  const output = join(stateDir, "rehearsal.out");
  writeFileSync(output, "", { mode: 0o600 });
  const out = openSync(output, "a");
  const log = openSync(join(stateDir, "rehearsal.log"), "a", 0o600);
  const journal = journalOf(stateDir);
  const flags = ["--port", port, "--journal", journal, "--linger-ms", String(lingerMs)];
  const args = rehearsalArguments(script, ...flags);
  const child = startChild({
    command: process.execPath,
    args,
    linger: true,
    stdio: ["ignore", out, log],
  });
  closeSync(out);
  closeSync(log);
  const deadline = performance.now() + startMs;
  while (child.process.exitCode === null && performance.now() < deadline) {
    const said = readFileSync(output, "utf8");
    if (said.endsWith("\n")) {
      const { url } = JSON.parse(said) as { url: string };
      return { url, script, process: processId(child.pid) };
    }
    await delay(20);
  }
  // It may yet come up, and would write its address where that of its successor is read.
  await child.stop({ ask: () => {}, askMs: 0 });
  throw errorOf("start_failed", `The rehearsal of ${script} did not start.`, {
    hint: `Its log is ${join(stateDir, "rehearsal.log")}.`,
  });
}

const journalOf = (stateDir: string): string => join(stateDir, "rehearsal.jsonl");

/** One that has ended counts too: its port is used again. */
const servesJournal = ({ process: id }: Note, journal: string): boolean =>
  !isAlive(id) || flagValue(argumentsOf(pidOf(id) ?? 0), "--journal") === journal;

function readNote(file: string): Note | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Note;
  } catch {
    return undefined;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await new RehearsalClient(url).status();
    return true;
  } catch {
    return false;
  }
}

function end({ process: id }: Note): void {
  const pid = pidOf(id);
  if (pid !== undefined && isAlive(id)) process.kill(pid, "SIGTERM");
}

function rehearsalOf(note: Note): TeamRehearsal {
  const signs = setInterval(() => void answers(note.url), SIGN_OF_LIFE_MS);
  signs.unref();
  return {
    url: note.url,
    async stop() {
      clearInterval(signs);
      const deadline = performance.now() + 5000;
      end(note);
      while (isAlive(note.process) && performance.now() < deadline) await delay(20);
    },
  };
}
