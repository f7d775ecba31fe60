import { useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { usePage } from "../state/page-state.ts";
import { Key } from "../ui/key.tsx";
import { Strip } from "../ui/strip.tsx";
import { t, timeOfDay } from "../words/words.ts";
import type { EndedCall } from "./call.ts";
import { callTitle, shortTitle } from "./call-title.ts";
import { isToday } from "./ended-calls.ts";
import { outcomeText } from "./outcome-text.ts";
import { useEndedCalls } from "./use-ended-calls.ts";
import styles from "./calls-view.module.css";

const STEP = 50;

/** What was decided today, by whom and by what rule. */
export function DecidedList() {
  const { team } = usePage();
  const now = new Date();
  const { calls, isLoading } = useEndedCalls((known) => known.some((call) => !isToday(call, now)));
  const [shown, setShown] = useState(STEP);
  const today = calls.filter((call) => isToday(call, now));
  return (
    <section class={styles.part} aria-labelledby="decided-today">
      <h2 id="decided-today">
        <Strip as="span">{t("calls.today")}</Strip>
      </h2>
      {today.length === 0 && <p>{t(isLoading ? "app.loading" : "calls.noneToday")}</p>}
      {today.length > 0 && (
        <table class={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t("calls.time")}</th>
              {team && <th scope="col">{t("calls.agent")}</th>}
              <th scope="col">{t("calls.request")}</th>
              <th scope="col">{t("calls.result")}</th>
            </tr>
          </thead>
          <tbody>
            {today.slice(0, shown).map((call) => (
              <Row key={call.id} call={call} />
            ))}
          </tbody>
        </table>
      )}
      {today.length > shown && (
        <Key onClick={() => setShown(shown + STEP)}>
          {t("calls.moreEntries", { n: today.length - shown })}
        </Key>
      )}
    </section>
  );
}

function Row({ call }: { readonly call: EndedCall }) {
  const at = call.end.at ?? call.askedAt;
  const [title, line] = [callTitle(call), shortTitle(call)];
  return (
    <tr>
      <td>
        <time dateTime={at} title={at}>
          {timeOfDay(at)}
        </time>
      </td>
      {call.agent !== undefined && <td class={styles.agent}>{call.agent}</td>}
      <td>
        <a href={`/calls/${encodeURIComponent(call.id)}`}>
          <VisibleText text={title} />
        </a>
        {line !== title && (
          <code class={styles.line}>
            <VisibleText text={line} />
          </code>
        )}
      </td>
      <td>
        <VisibleText text={outcomeText(call)} />
      </td>
    </tr>
  );
}
