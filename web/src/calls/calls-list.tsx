import { Strip } from "../ui/strip.tsx";
import { t } from "../words/words.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { shortTitle } from "./call-title.ts";
import { outcomeText } from "./outcome-text.ts";
import { Ticket } from "./ticket.tsx";
import { useCalls } from "./use-calls.ts";
import styles from "./calls-list.module.css";

/** All calls that wait, the one that denies itself first on top, and beneath them what became of the last ones. */
export function CallsList({
  as,
  hasGone = true,
}: {
  readonly as: "h1" | "h2";
  readonly hasGone?: boolean;
}) {
  const calls = useCalls();
  const waiting = calls.waiting.value;
  const Heading = as;
  return (
    <section class={styles.list} data-calls>
      <Heading class={styles.heading} tabindex={-1} data-calls-home>
        <Strip as="span">
          {waiting.length === 0 ? t("calls.none") : t("calls.forYou", { n: waiting.length })}
        </Strip>
      </Heading>
      {waiting.map((call, index) => (
        <Ticket
          key={call.id}
          call={call}
          as={as === "h1" ? "h2" : "h3"}
          // What stands above a ticket decides where it stands.
          place={waiting
            .slice(0, index)
            .map(({ id }) => id)
            .join(" ")}
        />
      ))}
      {hasGone && <Gone />}
    </section>
  );
}

function Gone() {
  const gone = useCalls().gone.value;
  if (gone.length === 0) return null;
  return (
    <ul class={styles.gone} aria-label={t("calls.justNow")}>
      {gone.map((call) => (
        <li key={call.id}>
          <a href={`/calls/${encodeURIComponent(call.id)}`}>
            <VisibleText
              text={[call.agent, shortTitle(call)].filter((each) => each !== undefined).join(" · ")}
            />
          </a>
          <span>
            <VisibleText text={outcomeText(call)} />
          </span>
        </li>
      ))}
    </ul>
  );
}
