import { styleText } from "node:util";
import { Command, InvalidArgumentError } from "commander";
import {
  journalLine,
  loadScript,
  rehearsalEnvironment,
  startRehearsal,
} from "../rehearsal/index.ts";
import type { JournalEntry, JournalEvent, Rehearsal, RequestOutcome } from "../rehearsal/index.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { cutText } from "../text/cut-text.ts";

interface RehearseOptions {
  port: number;
  journal?: string;
  json?: boolean;
}

/** `switchboard rehearse SCRIPT`: plays a script until it is interrupted, and prints the requests. */
export function rehearseCommand(): Command {
  return new Command("rehearse")
    .description("serve a scripted model, so that Claude Code runs without a key")
    .argument("<script>", "a script in YAML, or a TypeScript or JavaScript module with a function")
    .option("--port <number>", "listen on this port of 127.0.0.1; 0 picks a free one", portOf, 0)
    .option("--journal <file>", "append every request and its outcome to this file, as JSON Lines")
    .option("--json", "print JSON Lines: first the environment to set, then every event")
    .action(rehearse);
}

async function rehearse(file: string, options: RehearseOptions): Promise<void> {
  using interruption = listenForInterruption();
  const rehearsal = await startRehearsal({
    script: await loadScript(file),
    port: options.port,
    ...(options.journal !== undefined && { journalFile: options.journal }),
  });
  const tell = options.json ? tellPrograms : tellPeople;
  rehearsal.journal.listen(tell(rehearsal, file));
  await interruption.first;
  await rehearsal.close();
}

type Tell = (rehearsal: Rehearsal, file: string) => (event: JournalEvent) => void;

const tellPrograms: Tell = ({ url }, script) => {
  print(JSON.stringify({ type: "ready", url, script, environment: rehearsalEnvironment(url) }));
  return (event) => void process.stdout.write(journalLine(event));
};

const tellPeople: Tell = ({ url, journal }, file) => {
  const variables = Object.entries(rehearsalEnvironment(url)).map(
    ([name, value]) => `  export ${name}=${value}`,
  );
  print(
    [
      `${bold("Rehearsal")} of ${file} on ${url}. No model is asked; nothing leaves this machine.`,
      "",
      "In another terminal, run Claude Code on it:",
      "",
      ...variables,
      "  export CLAUDE_CONFIG_DIR=$(mktemp -d)   # keeps your own settings and sessions out of it",
      "  claude -p hello",
      "",
      `To name an agent for the script's rules, use ${url}/agents/NAME as base URL. Stop with Ctrl+C.`,
      "",
    ].join("\n"),
  );
  let explained: string | undefined;
  return (event) => {
    const entry = event.type === "finished" && journal.entries.find(({ id }) => id === event.id);
    if (!entry) return;
    print(lineOf(entry));
    // The CLI retries when nothing matches; once is enough.
    const detail = entry.outcome?.detail;
    if (detail !== undefined && detail !== explained) print(red(detail));
    explained = detail;
  };
};

/** One request as a person wants to read it. */
function lineOf({ id, at, kind, agent, path, outcome, ...entry }: JournalEntry): string {
  const news = [
    ...entry.new_tool_results.map(({ name, text }) => `${name} gave ${quote(text)}`),
    ...entry.new_peer_texts.map((text) => `a peer said ${quote(text)}`),
    ...entry.new_user_texts.map(quote),
  ];
  const isModelRequest = kind === "main" || kind === "side";
  const asked = isModelRequest ? (news.at(-1) ?? "no new words") : `${entry.method} ${path}`;
  const who = [agent, kind === "side" && "(side call)"].filter(Boolean).join(" ");
  return `${at.slice(11, 19)} #${id} ${who ? `${who}: ` : ""}${asked} → ${outcomeText(outcome)}`;
}

function outcomeText(outcome: RequestOutcome | undefined): string {
  const { result = "answered", rule, fault } = outcome ?? {};
  const by = typeof rule === "number" ? `rule ${rule}` : rule;
  return [result.replaceAll("_", " "), fault, by && `by ${by}`].filter(Boolean).join(" ");
}

const quotedChars = 60;

function quote(text: string): string {
  return JSON.stringify(cutText(text, quotedChars));
}

function bold(text: string): string {
  return styleText("bold", text, { stream: process.stdout });
}

function red(text: string): string {
  return styleText("red", text, { stream: process.stdout });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("Expected a port between 0 and 65535.");
}
