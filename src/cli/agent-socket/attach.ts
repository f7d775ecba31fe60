import { Command, InvalidArgumentError } from "commander";
import type { ConnectionState } from "../../client/core.ts";
import { connectSession } from "../../client/connect-session.ts";
import { defaultRetryPolicy } from "../../wire/timing.ts";
import { Chat } from "../attach/chat.ts";
import { PlainChat } from "../attach/plain.ts";

interface AttachFlags {
  readonly name?: string;
  readonly history: number;
  readonly wait: boolean;
  readonly follow: boolean;
  readonly json: boolean;
}

const DEFAULT_HISTORY = 10;

const help = `
On a terminal it is a chat: Enter sends, Alt-Enter or Ctrl-J begins a new line, Ctrl-C ends the running
turn and twice at rest leaves. Messages that you send while a turn runs join it. Leaving does not end
the session.

Without a terminal each line of the input is a message. What the model says goes to stdout, tool calls
and everything else to stderr:
  echo "what is in this directory?" | agent-socket attach SOCKET --wait
A line '/help' lists what is no message, as the answers to requests. To watch and say nothing:
  agent-socket attach SOCKET --follow --json < /dev/null`;

export function attachCommand(): Command {
  return new Command("attach")
    .description("talk with a session")
    .argument("<socket>", "the session's socket")
    .option("--name <name>", "how other clients see you")
    .option(
      "--history <n>",
      "show this many of the last messages; 0 shows all",
      count,
      DEFAULT_HISTORY,
    )
    .option("--wait", "without a terminal: leave when all messages have been answered", false)
    .option(
      "--follow",
      "without a terminal: stay after the input's end, until the session ends",
      false,
    )
    .option("--json", "print every event as one line of JSON; an error goes to stderr", false)
    .addHelpText("after", help)
    .action(attach);
}

async function attach(socket: string, flags: AttachFlags): Promise<void> {
  const { stdin, stdout, stderr } = process;
  const isChat = stdin.isTTY && stdout.isTTY && !flags.json;
  let chat: Chat | undefined;
  const client = await connectSession(socket, {
    name: flags.name ?? process.env["USER"] ?? "terminal",
    since: isChat ? 0 : "latest",
    firstPolicy: { ...defaultRetryPolicy, tries: 1 },
    onConnection: ({ state }: ConnectionState) => chat?.connectionChanged(state === "connected"),
  });
  await using _ = client;
  if (isChat) {
    chat = new Chat(client, { input: stdin, output: stdout }, flags.history);
    await chat.run();
    return;
  }
  const { json, wait, follow } = flags;
  const ways = { input: stdin, output: stdout, aside: stderr };
  await new PlainChat(client, { ...ways, json, wait, follow }).run();
}

function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("It is a number of messages.");
  return Number(text) || Number.POSITIVE_INFINITY;
}
