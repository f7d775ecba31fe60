import { Readable } from "node:stream";
import type { ConnectionState, SessionClient } from "../../client/core.ts";
import { connectSession } from "../../client/index.ts";
import { packageVersion } from "../../files/package-version.ts";
import { userName } from "../../proc/current-user.ts";
import { defaultRetryPolicy } from "../../wire/timeouts.ts";
import { Chat } from "./terminal-chat.ts";
import { linesForLog } from "./input-lines.ts";
import { PlainChat } from "./plain-chat.ts";
import type { SleepingAgent } from "./input-to-hibernating-agent.ts";
import type { ViewFlags } from "./view-options.ts";
import type { Elsewhere } from "./observer-rows.ts";

/** Messages of the past that a person sees who asks for no number of them. */
const SHOWN_MESSAGES = 10;

/** How long an input may say nothing before the log of a session that does not run is shown. */
const SILENCE_MS = 1_000;

export interface ViewContext {
  /** What is to be done elsewhere when the session can only be watched here. */
  readonly elsewhere: (init: SessionClient["init"]) => Elsewhere | Promise<Elsewhere>;
  /** The model is a rehearsed script, though the session may not know. */
  readonly isRehearsal?: boolean;
  /** Whose log it is. */
  readonly sleeper?: SleepingAgent;
  /** What the person has written in the view before this one. */
  readonly draft?: string;
}

/**
 * Shows the log of a session that does not run.
 *
 * @returns as `viewSession`. @throws as `viewSession`; `read_only` when the input holds a message; `invalid_params` when
 * there is no log.
 */
export async function viewLog(
  log: string,
  flags: ViewFlags,
  context: ViewContext,
): Promise<string> {
  // Loaded when it is needed: a session that runs is viewed without it.
  const { serveReadOnly } = await import("../../session/replay/serve-read-only.ts");
  await using served = await serveReadOnly(log, packageVersion);
  return await view({ path: served.socket, isRecording: true }, flags, context);
}

/**
 * A chat on a terminal, lines elsewhere. Resolves when the person has left or the session has ended.
 *
 * @returns what the person was writing. @throws `execution_failed` when a message was not answered.
 */
export function viewSession(
  socket: string,
  flags: ViewFlags,
  context: ViewContext,
): Promise<string> {
  return view({ path: socket, isRecording: false }, flags, context);
}

/** True when a person sits at a terminal: then a view is a chat. */
export const isAtTerminal = ({ json }: ViewFlags): boolean =>
  process.stdin.isTTY && process.stdout.isTTY && !json;

async function view(
  { path, isRecording }: { readonly path: string; readonly isRecording: boolean },
  flags: ViewFlags,
  { sleeper, draft, ...context }: ViewContext,
): Promise<string> {
  const { stdin, stdout, stderr, env } = process;
  const isTerminal = isAtTerminal(flags);
  const unasked = isRecording ? Number.POSITIVE_INFINITY : 0;
  const historyTurns = flags.history ?? (isTerminal ? SHOWN_MESSAGES : unasked);
  let chat: Chat | PlainChat | undefined;
  let isConnected = true;
  const client = await connectSession(path, {
    name: flags.name ?? userName(),
    since: historyTurns > 0 ? 0 : "latest",
    firstPolicy: { ...defaultRetryPolicy, tries: 1 },
    onConnection: ({ state }: ConnectionState) => {
      isConnected = state === "connected";
      chat?.connectionChanged(isConnected);
    },
  });
  await using _ = client;
  const elsewhere = await context.elsewhere(client.init);
  const isRehearsal = context.isRehearsal ?? client.init.rehearsal;
  // A terminal that cannot move its cursor is written to line by line.
  if (isTerminal && env["TERM"] !== "dumb") {
    const options = { historyTurns, isRecording, elsewhere, isRehearsal, sleeper, draft };
    chat = new Chat(client, { input: stdin, output: stdout }, options);
  } else {
    const isAsked = isRecording && !stdin.isTTY;
    const silenceMs = flags.wait ? undefined : SILENCE_MS;
    const lines = isAsked ? await linesForLog(stdin, elsewhere, silenceMs) : [];
    const note = `Session ${client.init.session_id} does not run. This is its log.\n${elsewhere.speak}`;
    if (isRecording && !flags.json) stderr.write(`${note}\n`);
    chat = new PlainChat(client, {
      input: isRecording ? Readable.from(lines.map((line) => Buffer.from(`${line}\n`))) : stdin,
      output: stdout,
      aside: stderr,
      json: flags.json === true,
      wait: flags.wait === true,
      follow: flags.follow === true && !isRecording,
      historyTurns,
      isRehearsal,
      elsewhere: client.init.read_only ? elsewhere : undefined,
    });
  }
  if (!isConnected) chat.connectionChanged(isConnected);
  await chat.run();
  return chat.draft;
}
