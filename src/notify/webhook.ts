import { reasonOf, systemCode } from "../files/system-error-code.ts";
import { errorOf } from "../wire/errors.ts";
import { discordBody } from "./bodies/discord.ts";
import { ntfyBody, ntfyTarget } from "./bodies/ntfy.ts";
import { slackBody } from "./bodies/slack.ts";
import type { Telling, Sink, ToldNews } from "./told-news.ts";

export type WebhookFormat = "slack" | "discord" | "ntfy" | "json";

export interface WebhookOptions {
  /** It may hold a secret: it gets into no log and no error. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** Sent as a bearer token. */
  readonly token?: string | undefined;
  /** For one answer. */
  readonly answerMs?: number;
}

const ANSWER_MS = 30_000;
const SECOND_MS = 1_000;

/** These may be answered otherwise later: a time-out, too early, too much. */
const laterStatuses: ReadonlySet<number> = new Set([408, 425, 429]);
/** What was sent is wrong, and not the address. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * A service that is called over HTTP. The id of the news is in the header `Idempotency-Key`.
 *
 * @throws `invalid_params` for an address that cannot be one.
 */
export function webhook({ url: text, format, token, answerMs = ANSWER_MS }: WebhookOptions): Sink {
  const { url, authorization } = addressOf(text);
  const target = format === "ntfy" ? ntfyTarget(url) : { url, topic: "" };
  if (format === "ntfy" && target.topic === "") {
    throw invalid("The address of ntfy has no topic.", "Write https://ntfy.sh/TOPIC.");
  }
  const bearer = token === undefined ? authorization : `Bearer ${token}`;
  const headersOf = (id: string) => ({
    "content-type": "application/json",
    "idempotency-key": id,
    ...(bearer !== undefined && { authorization: bearer }),
  });
  return {
    async deliver(news, signal) {
      const body = JSON.stringify(bodyFor(format, news, target.topic));
      const over = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
      try {
        const answer = await fetch(target.url, {
          method: "POST",
          headers: headersOf(news.id),
          body,
          // Another address would get what is meant for this one.
          redirect: "manual",
          signal: over,
        });
        // The connection may be used again only when the answer was read.
        await answer.body?.cancel();
        return outcomeOf(answer);
      } catch (error) {
        const code = causeOf(error);
        const mayHaveArrived = !neverSent.has(code ?? "");
        const why = `The webhook cannot be reached: ${code ?? reasonOf(error)}.`;
        return { kind: "later", why, mayHaveArrived };
      }
    },
  };
}

function bodyFor(format: WebhookFormat, news: ToldNews, topic: string): object {
  switch (format) {
    case "slack":
      return slackBody(news);
    case "discord":
      return discordBody(news);
    case "ntfy":
      return ntfyBody(news, topic);
    default:
      return news;
  }
}

function outcomeOf({ status, ok, headers }: Response): Telling {
  if (ok) return { kind: "told" };
  const why = `The webhook answered ${status}.`;
  if (laterStatuses.has(status) || status >= 500) {
    const afterMs = retryAfterMs(headers.get("retry-after"));
    return { kind: "later", why, afterMs, mayHaveArrived: false };
  }
  return { kind: refusedStatuses.has(status) ? "refused" : "wrong", why };
}

function retryAfterMs(text: string | null): number | undefined {
  const seconds = Number(text);
  return text === null || !Number.isFinite(seconds) ? undefined : Math.max(seconds, 0) * SECOND_MS;
}

/** There was no connection. */
const neverSent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);

/** Node's own words hide the cause, and never name the address. */
function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return systemCode(cause);
}

function addressOf(text: string): { readonly url: URL; readonly authorization?: string } {
  // The error of URL would repeat the text.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid("The webhook is no http or https address.", "Copy the whole address.");
  }
  const { username, password } = url;
  if (username === "" && password === "") return { url };
  [url.username, url.password] = ["", ""];
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url, authorization: `Basic ${Buffer.from(both).toString("base64")}` };
}

const invalid = (message: string, hint: string) => errorOf("invalid_params", message, { hint });
