import type { Turn } from "agent-switchboard/client/core";
import type { SessionEventOf } from "agent-switchboard/wire";
import { lengthOfTime, money, t, timeOfDay, wordFor } from "../../words/words.ts";
import styles from "./turn-lines.module.css";

/** Where a turn begins. */
export function TurnHead({ turn }: { readonly turn: Turn }) {
  const { at, cause } = turn.started;
  const why =
    cause === "background" ? t("talk.turnBackground") : cause === "resume" && t("talk.turnResume");
  return (
    <h2 class={styles.head} data-turn-head={turn.id}>
      <time dateTime={at} title={at}>
        {timeOfDay(at)}
      </time>
      {why && <span>{why}</span>}
    </h2>
  );
}

/** How a turn ended, and what it took. */
export function TurnEnd({ done }: { readonly done: SessionEventOf<"done"> }) {
  const { usage, stop_reason: reason } = done;
  const cached = usage.cache_read_input_tokens ?? 0;
  const input = usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0);
  const isBad = reason !== "completed" && reason !== "aborted" && reason !== "interrupted";
  return (
    <p class={styles.end} data-bad={isBad}>
      <span class={styles.reason}>{wordFor("stop", reason) ?? reason}</span>
      <span>{lengthOfTime(done.duration_ms)}</span>
      <span title={t("talk.tokensOf", { in: input, out: usage.output_tokens, cached })}>
        {t("talk.tokens", { n: input + usage.output_tokens })}
      </span>
      <span>{money(done.cost_usd)}</span>
    </p>
  );
}
