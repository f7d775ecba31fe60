import type { Command } from "commander";
import { Option } from "commander";
import type { IfUnsure, NewsKind, WebhookFormat } from "../../notify/run-notifier.ts";
import { positiveCount } from "../agent-socket/flag-values.ts";

/** Where the secret of a webhook may stand, in place of the command line. */
export const WEBHOOK_VARIABLE = "SWITCHBOARD_WEBHOOK";
export const TOKEN_VARIABLE = "SWITCHBOARD_WEBHOOK_TOKEN";

export interface NotifyFlags {
  run?: string;
  webhook?: string | true;
  webhookFile?: string;
  format: WebhookFormat;
  link?: LinkKind;
  only?: "calls" | "tasks";
  ifUnsure: IfUnsure;
  tries?: number;
  once?: boolean;
  json?: boolean;
}

const formats = ["json", "slack", "discord", "ntfy"] as const satisfies readonly WebhookFormat[];

export const linkKinds = ["owner", "viewer", "plain", "none"] as const;
export type LinkKind = (typeof linkKinds)[number];

export const withNotifyOptions = (command: Command): Command =>
  command
    .option("--run <program>", "run this program; what follows '--' are its arguments")
    .option(
      "--webhook [url]",
      `call this address (default: $${WEBHOOK_VARIABLE}, which no process list shows)`,
    )
    .option("--webhook-file <file>", "read the address from the first line of this file")
    .addOption(
      new Option("--format <service>", "what the webhook reads").choices(formats).default("json"),
    )
    .addOption(
      new Option(
        "--link <kind>",
        "the link to the page: owner signs in, viewer signs in to look, plain does not (default: owner with --run, plain with a webhook)",
      ).choices(linkKinds),
    )
    .addOption(
      new Option("--only <what>", "tell only of calls, or only of ends").choices([
        "calls",
        "tasks",
      ]),
    )
    .addOption(
      new Option("--if-unsure <what>", "after a crash in the middle of telling: again, or skip it")
        .choices(["again", "skip"])
        .default("again"),
    )
    .option(
      "--tries <n>",
      "how often to try the same news before ending with an error (default: 12, in half an hour)",
      positiveCount,
    )
    .option("--once", "tell what is to be told now, then end")
    .option("--json", "print each of the news as one line of JSON");

/** The kinds of news that a person wants. */
export const kindsOf = ({ only }: NotifyFlags): readonly NewsKind[] | undefined => {
  if (only === undefined) return undefined;
  return only === "calls" ? ["asked"] : ["done", "failed"];
};

export const notifyHelp = (program: string, session: string): string => `
Examples:
  ${program} notify ${session}--run ./tell.sh
                               run a program for all news, with the news as
                               JSON on stdin and in $SWITCHBOARD_NOTIFY_TITLE,
                               _TEXT, _LINK, _KIND, _WHO, _ID
  ${program} notify ${session}--run notify-send -- "My team wants you"
                               the same with arguments
  export ${WEBHOOK_VARIABLE}=https://ntfy.sh/my-secret-topic
  ${program} notify ${session}--webhook --format ntfy
                               a message to your phone
  ${program} notify ${session}--webhook --format slack --only calls --once
                               what waits now, then end

It tells when a person has to decide, with the whole command, and when work has
ended. It keeps what it has told, so it may be ended, killed and started again.
A webhook that needs a token finds it in $${TOKEN_VARIABLE}. Anybody
who reads a link of the kind owner can run commands as you.
docs/notify.md has more.`;
