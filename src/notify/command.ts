import { text } from "node:stream/consumers";
import { reasonOf } from "../files/system-error-code.ts";
import { sessionVariables } from "../proc/inherited-variables.ts";
import { startChild } from "../proc/start-child.ts";
import { cutText, tailOf } from "../text/cut-text.ts";
import type { Sink, ToldNews } from "./told-news.ts";

export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** After this it is ended, with everything it started. */
  readonly timeoutMs?: number;
  readonly source?: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 60_000;
/** The system takes 128 KiB in one variable; a person reads less. */
const MAX_VARIABLE_CHARS = 16_384;
const MAX_SAID_CHARS = 300;

/**
 * A program that is run for all news, with the news as JSON on stdin and in variables. What agents wrote is in no argument. It dies
 * with us.
 */
export function command({
  command: program,
  args,
  timeoutMs = TIMEOUT_MS,
  source = process.env,
}: CommandOptions): Sink {
  return {
    async deliver(news, signal) {
      try {
        const child = startChild({ command: program, args, env: environmentOf(news, source) });
        const stop = (): void => void child.stop().catch(() => {});
        const timer = setTimeout(stop, timeoutMs);
        signal.addEventListener("abort", stop);
        try {
          child.process.stdin.end(`${JSON.stringify(news)}\n`);
          child.process.stdout.resume();
          const [{ code }, said] = await Promise.all([child.exited, text(child.process.stderr)]);
          if (code === 0) return { kind: "told" };
          const words = tailOf(said.trim(), MAX_SAID_CHARS);
          const how = code === null ? "was ended" : `ended with ${code}`;
          const why = `${program} ${how}${words === "" ? "." : `: ${words}`}`;
          return { kind: "later", why, mayHaveArrived: code === null };
        } finally {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
        }
      } catch (error) {
        return { kind: "wrong", why: reasonOf(error) };
      }
    },
  };
}

function environmentOf(
  news: ToldNews,
  source: NonNullable<CommandOptions["source"]>,
): Record<string, string | undefined> {
  const own = Object.entries(source).filter(([name]) => !isHidden(name));
  return {
    ...Object.fromEntries(own),
    SWITCHBOARD_NOTIFY_ID: news.id,
    SWITCHBOARD_NOTIFY_KIND: news.kind,
    SWITCHBOARD_NOTIFY_WHERE: news.where,
    SWITCHBOARD_NOTIFY_WHO: news.who,
    SWITCHBOARD_NOTIFY_TITLE: news.title,
    SWITCHBOARD_NOTIFY_TEXT: cutText(news.text, MAX_VARIABLE_CHARS),
    SWITCHBOARD_NOTIFY_REPEATED: news.repeated ? "1" : "",
    SWITCHBOARD_NOTIFY_LINK: news.link ?? "",
    SWITCHBOARD_NOTIFY_REQUEST_ID: news.request_id ?? "",
  };
}

/** The command is the person's own, so it has their variables; not those of a session that it was started from, and no secret of ours. */
const isHidden = (name: string): boolean =>
  name.startsWith("SWITCHBOARD_NOTIFY_") ||
  sessionVariables.some((entry) =>
    entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
