import { VisibleText } from "../characters/visible-text.tsx";
import { Empty } from "../ui/empty.tsx";
import { Strip } from "../ui/strip.tsx";
import { t, timeOfDay } from "../words/words.ts";
import { Asked } from "./asked.tsx";
import type { EndedCall } from "./call.ts";
import { callTitle } from "./call-title.ts";
import { InputTree } from "./input-tree.tsx";
import { WholeText } from "./large-text.tsx";
import { outcomeText } from "./outcome-text.ts";
import { Ticket } from "./ticket.tsx";
import { useCalls } from "./use-calls.ts";
import { useEndedCalls } from "./use-ended-calls.ts";
import styles from "./calls-view.module.css";

/** One call whole. When it is over: how it ended. */
export function CallPage({ id }: { readonly id: string }) {
  const calls = useCalls();
  const waiting = calls.waiting.value;
  const index = waiting.findIndex((call) => call.id === id);
  const call = waiting[index];
  return (
    <div class={styles.view} data-calls data-one-call>
      <div class={`${styles.part} ${styles.nav}`}>
        <h1 tabindex={-1} data-calls-home>
          <Strip as="span">
            {call === undefined
              ? t("calls.oneCall")
              : t("calls.ofAll", { n: index + 1, all: waiting.length })}
          </Strip>
        </h1>
        <a href="/calls">{t("calls.all")}</a>
      </div>
      <div class={styles.part}>{call ? <Ticket call={call} as="h2" /> : <Over id={id} />}</div>
    </div>
  );
}

function Over({ id }: { readonly id: string }) {
  const { decider, gone } = useCalls();
  const { calls, isLoading } = useEndedCalls((known) => known.some((call) => call.id === id));
  const call = calls.find((each) => each.id === id) ?? endedOf(gone.value, id);
  if (call === undefined) {
    return isLoading || !decider.isCaughtUp.value ? (
      <p>{t("app.loading")}</p>
    ) : (
      <Empty title={t("calls.unknown")}>{t("calls.unknownHelp")}</Empty>
    );
  }
  const { end } = call;
  return (
    <article class={styles.over}>
      <p>
        {t("calls.over")} <time dateTime={end.at}>{end.at !== undefined && timeOfDay(end.at)}</time>
      </p>
      <h2>
        <VisibleText
          text={[call.agent, callTitle(call)].filter((each) => each !== undefined).join(" · ")}
        />
      </h2>
      <p class={styles.verdict}>
        <VisibleText text={outcomeText(call)} />
      </p>
      {end.reason !== undefined && (
        <p>
          {t("calls.reasonWas")} <VisibleText text={end.reason} />
        </p>
      )}
      <WholeText.Provider value={(blob) => decider.wholeText(call, blob)}>
        <Asked request={call.request} />
        {end.updatedInput !== undefined && (
          <>
            <p>{t("calls.ranInstead")}</p>
            <InputTree value={end.updatedInput} />
          </>
        )}
      </WholeText.Provider>
    </article>
  );
}

function endedOf(
  gone: readonly (Omit<EndedCall, "end" | "askedAt"> & { end: EndedCall["end"] | undefined })[],
  id: string,
): EndedCall | undefined {
  const call = gone.find((each) => each.id === id);
  if (call === undefined) return undefined;
  return { ...call, askedAt: call.request.at, end: call.end ?? { outcome: "unknown" } };
}
