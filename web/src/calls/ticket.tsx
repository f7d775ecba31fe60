import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { explain } from "../link/errors.ts";
import { useMayAct, usePage } from "../state/page-state.ts";
import { cords } from "../ui/cord-class.ts";
import { Countdown } from "../ui/countdown.tsx";
import { commandKey } from "../ui/key-press.ts";
import { t } from "../words/words.ts";
import type { Call } from "./call.ts";
import { callTitle } from "./call-title.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { Deciders } from "./deciders.tsx";
import { Asked } from "./asked.tsx";
import { WholeText } from "./large-text.tsx";
import type { TicketKeys } from "./ticket-parts.ts";
import { toolOf } from "./call.ts";
import { useAwake } from "./use-awake.ts";
import { useCalls } from "./use-calls.ts";
import { useDecision } from "./use-decision.ts";
import { giveFocusBack } from "./focus-home.ts";
import { useUnseenLines } from "./use-unseen.ts";
import styles from "./ticket.module.css";

/**
 * One call that waits for a person: who asks, what will happen, until when, and what the person can say to it. It never takes
 * the focus. Its letters act only while the focus is in it, and nothing acts before it has stood still for a moment.
 *
 * @param place changes when something above it comes or goes, so that a press meant for its neighbour does nothing.
 */
export function Ticket({
  call,
  place = "",
  as: Heading = "h3",
}: {
  readonly call: Call;
  readonly place?: string;
  readonly as?: "h2" | "h3";
}) {
  const calls = useCalls();
  const mayAct = useMayAct();
  const deciding = useDecision(call);
  const ref = useRef<HTMLElement>(null);
  const scrolled = useRef<HTMLDivElement>(null);
  const keys = useRef<TicketKeys>({});
  const title = useId();
  const awake = useAwake(ref, place);
  const unseenLines = useUnseenLines(scrolled);
  const isDead = !awake.areButtons || deciding.sent !== undefined;
  useLayoutEffect(() => giveFocusBack(ref), []);
  const press = (event: KeyboardEvent): void => {
    const letter = commandKey(event);
    const act = letter === undefined ? undefined : keys.current[letter];
    if (act === undefined || !mayAct) return;
    event.preventDefault();
    event.stopPropagation();
    if (isDead || !awake.areLetters) return;
    // What comes before the ticket is drawn again was typed for what it has become.
    keys.current = {};
    act();
  };
  return (
    <article
      ref={ref}
      class={`${styles.ticket} ${cords[useCord(call.agent)] ?? ""}`}
      aria-labelledby={title}
      tabindex={0}
      data-call={call.id}
      data-request={call.request.type}
      onKeyDown={press}
    >
      <Head call={call} endsAt={calls.endsAt(call.id)} />
      <Heading id={title} class={styles.title}>
        <VisibleText text={callTitle(call)} />
      </Heading>
      <WholeText.Provider value={(blob) => calls.decider.wholeText(call, blob)}>
        <div
          ref={scrolled}
          class={styles.what}
          tabindex={0}
          role="group"
          aria-label={t("calls.whatWillHappen")}
        >
          <Asked request={call.request} />
        </div>
        {mayAct ? (
          <div class={styles.actions}>
            <Deciders {...{ call, deciding, isDead, unseenLines, keys }} request={call.request} />
            {deciding.error !== undefined && (
              <p role="alert" class={styles.error}>
                {explain(deciding.error)}
              </p>
            )}
          </div>
        ) : (
          <p class={styles.viewer}>{t("calls.viewer")}</p>
        )}
      </WholeText.Provider>
    </article>
  );
}

function Head({ call, endsAt }: { readonly call: Call; readonly endsAt: number | undefined }) {
  const words = [call.agent, toolOf(call) ?? t(`calls.type.${call.request.type}`)];
  return (
    <p class={styles.head}>
      <span>
        <VisibleText text={words.filter((word) => word !== undefined).join(" · ")} />
      </span>
      <span class={styles.until}>
        {endsAt === undefined ? (
          call.request.type === "notice" || call.request.deadline === undefined ? (
            t("calls.noLimit")
          ) : null
        ) : (
          <>
            {t("calls.deniesIn")} <Countdown endsAt={endsAt} />
          </>
        )}
      </span>
    </p>
  );
}

const useCord = (agent: string | undefined): number =>
  usePage().team?.agents.value.find(({ id }) => id === agent)?.cord ?? 0;
