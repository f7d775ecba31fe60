import { statSync } from "node:fs";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import { dial } from "../../net/connect-with-retries.ts";
import type { ListedSession } from "../../session/host/list-sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import { defaultRetryPolicy } from "../../wire/timeouts.ts";
import { count } from "./flag-values.ts";
import { cutText } from "../../text/cut-text.ts";

interface ListFlags {
  cwd?: string;
  limit: number;
  all?: boolean;
  rehearsal?: boolean;
  stateDir?: string;
  json?: boolean;
}

const examples = `
Examples:
  agent-socket list                  all sessions; those that run come first
  agent-socket list --cwd .          the sessions of this directory
  agent-socket list --json | jq -r 'select(.running) | .running.socket'
                                     the sockets of those that run
  agent-socket list --all            archived ones, too
  agent-socket attach ID             chat with one, or read a stopped one
  agent-socket replay ID             play its log again
  agent-socket --cwd . --resume ID   continue one that does not run`;

/** `agent-socket list`: the sessions that Claude Code has on disk, and the hosts that run. */
export function listCommand(): Command {
  return new Command("list")
    .description("list the sessions that you can attach to or resume")
    .option("--cwd <dir>", "list only sessions of this directory")
    .option("--limit <n>", "how many to list", count, 50)
    .option("--all", "list archived sessions, too")
    .option("--rehearsal", "list the sessions of rehearsals, which are kept apart")
    .option("--state-dir <dir>", "the --state-dir that the sessions were started with")
    .option("--json", "print each session as one line of JSON")
    .addHelpText("after", examples)
    .action(list);
}

async function list({ cwd, limit, all, rehearsal, stateDir, json }: ListFlags): Promise<void> {
  if (cwd !== undefined) mustBeDirectory(cwd);
  // Loaded on demand: help does not need the Agent SDK.
  const { listSessions } = await import("../../session/host/list-sessions.ts");
  const sessions = await listSessions({
    limit,
    all,
    ...(cwd !== undefined && { cwd: resolve(cwd) }),
    ...(stateDir !== undefined && { stateDir }),
    rehearsal,
  });
  const marked = await Promise.all(sessions.map(withMark));
  const lines = marked.map(json ? (each) => JSON.stringify(each) : forPeople);
  if (lines.length === 0 && !json) process.stderr.write("There are no sessions yet.\n");
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** `list` finds running sessions by their locks; only the session itself knows whether its model is a rehearsal. */
interface MarkedSession extends ListedSession {
  /** Present only while it runs. */
  rehearsal?: boolean;
}

async function withMark(session: ListedSession): Promise<MarkedSession> {
  const { socket } = session.running ?? {};
  const rehearsal = socket === undefined ? undefined : await isRehearsal(socket);
  return rehearsal === undefined ? session : { ...session, rehearsal };
}

const ANSWER_MS = 2000;

/** What a session reports in its first line. Undefined when it is too busy to answer, or gone. */
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
  const { title, cwd, last_used, archived, running, log } = session;
  const state = running
    ? styleText("green", `runs as ${running.pid}`, { stream: process.stdout })
    : dim(last_used?.replace(/T(..:..).*/, " $1") ?? "");
  const lines = [
    `${session_id}  ${state}  ${archived ? "(archived) " : ""}${rehearsal === true ? "(a rehearsal)" : oneLine(title ?? "(nothing said yet)")}`,
    dim(`  ${cwd ?? ""}${running?.socket === undefined ? "" : `  ${running.socket}`}`),
    ...(log === undefined ? [] : [dim(`  log ${log}`)]),
  ];
  return lines.join("\n");
}

const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

const MAX_TITLE_CHARS = 60;

/** A title is typed by a person: nothing in it may reach the terminal as a command. */
function oneLine(text: string): string {
  const plain = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return cutText(plain, MAX_TITLE_CHARS);
}
