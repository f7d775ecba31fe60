import { statSync } from "node:fs";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/dial.ts";
import type { ListedSession } from "../../session/host/list-sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import { defaultRetryPolicy } from "../../wire/timing.ts";
import { count } from "./flag-values.ts";

interface ListFlags {
  cwd?: string;
  limit: number;
  rehearsal?: boolean;
  stateDir?: string;
  json?: boolean;
}

const examples = `
Examples:
  agent-socket list                   all sessions, those that run first
  agent-socket list --cwd .           those of this directory
  agent-socket list --json | jq -r 'select(.running) | .running.socket'
  agent-socket attach SOCKET          talk to one that runs
  agent-socket --cwd . --resume ID    go on with one that does not`;

/** `agent-socket list`: the sessions that Claude Code has on disk, and the hosts that run. */
export function listCommand(): Command {
  return new Command("list")
    .description("list sessions that can be resumed or attached to")
    .option("--cwd <dir>", "only those of this directory")
    .option("--limit <n>", "how many to list", count, 50)
    .option("--rehearsal", "sessions of rehearsals, which are kept apart")
    .option("--state-dir <dir>", "with --rehearsal: the state directory that they were given")
    .option("--json", "print one JSON object per line")
    .addHelpText("after", examples)
    .action(list);
}

async function list({ cwd, limit, rehearsal, stateDir, json }: ListFlags): Promise<void> {
  if (cwd !== undefined) mustBeDirectory(cwd);
  // Loaded when it is needed: help does without the Agent SDK.
  const { listSessions } = await import("../../session/host/list-sessions.ts");
  const { rehearsalConfigDir } = await import("../../session/host/model-environment.ts");
  const sessions = await listSessions({
    limit,
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(rehearsal && { configDir: rehearsalConfigDir(stateDir) }),
  });
  const marked = await Promise.all(sessions.map(withMark));
  const lines = marked.map(json ? (each) => JSON.stringify(each) : forPeople);
  if (lines.length === 0 && !json) process.stderr.write("There are no sessions yet.\n");
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** `list` finds what runs by whom it belongs to; only the session itself knows what plays its model. */
interface MarkedSession extends ListedSession {
  /** Present only when it runs. */
  rehearsal?: boolean;
}

async function withMark(session: ListedSession): Promise<MarkedSession> {
  const { socket } = session.running ?? {};
  const rehearsal = socket === undefined ? undefined : await isRehearsal(socket);
  return rehearsal === undefined ? session : { ...session, rehearsal };
}

const ANSWER_MS = 2000;

/** What a session says of itself in its first line. Undefined when it is too busy to say anything, or gone. */
async function isRehearsal(path: string): Promise<boolean | undefined> {
  try {
    const policy = { ...defaultRetryPolicy, tries: 1 };
    const socket = await dial(path, { policy, timeoutMs: ANSWER_MS });
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    await using lines = channel(socket, jsonLines);
    for await (const line of lines) {
      return line.ok ? (line.value as { rehearsal?: boolean }).rehearsal : undefined;
    }
  } catch {
    // It has just ended.
  }
  return undefined;
}

function mustBeDirectory(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw errorOf("cwd_not_found", `${path} is not a directory.`, {
    hint: "Name a directory that exists, or leave --cwd out for all sessions.",
  });
}

function forPeople({ session_id, rehearsal, ...session }: MarkedSession): string {
  const { title, cwd, last_used, running } = session;
  const state = running
    ? styleText("green", `runs as ${running.pid}`, { stream: process.stdout })
    : dim(last_used?.replace(/T(..:..).*/, " $1") ?? "");
  const lines = [
    `${session_id}  ${state}  ${rehearsal === true ? "(a rehearsal)" : oneLine(title ?? "(nothing said yet)")}`,
    dim(`  ${cwd ?? ""}${running?.socket === undefined ? "" : `  ${running.socket}`}`),
  ];
  return lines.join("\n");
}

const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

const MAX_TITLE_CHARS = 60;

/** A title is what somebody typed: nothing in it may reach the terminal as a command. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return plain.length > MAX_TITLE_CHARS ? `${plain.slice(0, MAX_TITLE_CHARS)}…` : plain;
}
