import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeFileError } from "../../files/describe-file-error.ts";
import { makeOwnDirectory } from "../../net/socket-file/own-directory.ts";
import { listen } from "../../net/listen.ts";
import { findCommand } from "../../proc/find-command.ts";
import type { News, Report, Sink, Source } from "../../notify/run-notifier.ts";
import { command, Notifier, webhook } from "../../notify/run-notifier.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { clockTime, print, printJson } from "../team/print-for-people.ts";
import type { LinkKind, NotifyFlags } from "./notify-options.ts";
import { kindsOf, TOKEN_VARIABLE, WEBHOOK_VARIABLE } from "./notify-options.ts";
import { linkMaker } from "./link-to-call.ts";

export interface NotifyTarget {
  readonly source: Source;
  /** The notifier keeps its ledgers in a directory below it. */
  readonly stateDir: string;
  /** The state directory of the gateway that may serve the page. */
  readonly webDir: string;
  /** What a session of its own is kept under; a team's state directory is its own. */
  readonly name?: string;
}

/**
 * Tells until the person leaves, or with `--once` until all is told.
 *
 * @throws as `Notifier.run`; `invalid_params`; `socket_in_use` when a notifier does the same already.
 */
export async function runNotify(
  target: NotifyTarget,
  flags: NotifyFlags,
  args: readonly string[],
): Promise<void> {
  const { sink, key, isCommand } = sinkOf(flags, args);
  const directory = join(target.stateDir, "notify");
  makeOwnDirectory(directory);
  const name = createHash("sha256")
    .update(JSON.stringify([target.name ?? "", key]))
    .digest("hex")
    .slice(0, 16);
  await using stack = new AsyncDisposableStack();
  stack.use(await lock(join(directory, `${name}.sock`)));
  using interruption = listenForInterruption();
  const stop = new AbortController();
  void interruption.first.then(() => stop.abort());
  const kind: LinkKind = flags.link ?? (isCommand ? "owner" : "plain");
  const notifier = new Notifier({
    source: target.source,
    sink,
    ledgerFile: join(directory, `${name}.json`),
    linkTo: linkMaker(target.webDir, kind),
    report: (report) => say(report, flags.json === true),
    ifUnsure: flags.ifUnsure,
    kinds: kindsOf(flags),
    ...(flags.once !== undefined && { once: flags.once }),
    ...(flags.tries !== undefined && { tries: flags.tries }),
  });
  await notifier.run(stop.signal);
}

/** Two notifiers with one ledger would tell everything twice. */
const lock = (path: string) =>
  listen({ path, onConnection: (socket) => socket.destroy() }).catch((error: unknown) => {
    if (!(error instanceof ClaudeCodeError) || error.code !== "socket_in_use") throw error;
    throw errorOf("socket_in_use", "A notifier that tells the same to the same runs already.", {
      hint: "End it first.",
      cause: error,
    });
  });

function sinkOf(
  flags: NotifyFlags,
  args: readonly string[],
): { readonly sink: Sink; readonly key: string; readonly isCommand: boolean } {
  const token = taken(TOKEN_VARIABLE);
  const said = taken(WEBHOOK_VARIABLE);
  const wantsWebhook = flags.webhook !== undefined || flags.webhookFile !== undefined;
  if (wantsWebhook === (flags.run !== undefined)) {
    throw errorOf(
      "invalid_params",
      "Say how to tell: --run PROGRAM or --webhook URL, one of them.",
    );
  }
  if (flags.run !== undefined) {
    const { run } = flags;
    if (findCommand(run, process.env["PATH"] ?? "") === undefined) {
      throw errorOf("start_failed", `There is no program ${run}.`, { data: { command: run } });
    }
    const program = run.includes("/") ? resolve(run) : run;
    return {
      sink: command({ command: program, args }),
      key: JSON.stringify([program, ...args]),
      isCommand: true,
    };
  }
  if (args.length > 0) {
    throw errorOf("invalid_params", "Only --run takes arguments after '--'.");
  }
  const url = typeof flags.webhook === "string" ? flags.webhook : addressFrom(flags, said);
  const { format } = flags;
  return { sink: webhook({ url, format, token }), key: `${format} ${url}`, isCommand: false };
}

/** The value of a variable, which no child of ours is to inherit. */
function taken(name: string): string | undefined {
  const value = process.env[name];
  delete process.env[name];
  return value === "" ? undefined : value;
}

function addressFrom({ webhookFile }: NotifyFlags, said: string | undefined): string {
  if (webhookFile === undefined && said !== undefined) return said;
  if (webhookFile === undefined) {
    throw errorOf(
      "invalid_params",
      `--webhook has no address, and $${WEBHOOK_VARIABLE} is not set.`,
      {
        hint: `export ${WEBHOOK_VARIABLE}=https://…, or name a file with --webhook-file.`,
      },
    );
  }
  try {
    return (readFileSync(webhookFile, "utf8").split("\n")[0] ?? "").trim();
  } catch (cause) {
    const why = describeFileError(cause);
    throw errorOf("invalid_params", `--webhook-file ${webhookFile}: ${why}.`, { cause });
  }
}

function say(report: Report, json: boolean): void {
  if (report.type === "told") {
    if (json) printJson(report.news);
    else print(`${clockTime(Date.now())} told: ${about(report.news)}`);
    return;
  }
  process.stderr.write(`${wordsOf(report)}\n`);
}

const SECOND_MS = 1_000;

function wordsOf(report: Exclude<Report, { type: "told" }>): string {
  switch (report.type) {
    case "retry":
      return `Not told yet: ${about(report.news)}. ${report.why} Next try in ${Math.ceil(report.inMs / SECOND_MS)} s.`;
    case "refused":
      return `Refused, so nobody is told: ${about(report.news)}. ${report.why}`;
    case "skipped":
      return `Perhaps told, and not told again: ${about(report.news)}. ${report.why}`;
    default:
      return `${report.why} The notifier waits for it.`;
  }
}

const about = ({ where, title }: News): string => `${where}: ${title}`;
