import { Countdown } from "../ui/countdown.tsx";
import { counted } from "../words/words.ts";
import { useCalls } from "./use-calls.ts";
import styles from "./calls-lamp.module.css";

/** Lit while a person is wanted, and for nothing else. With the time of the call that denies itself first. */
export function CallsLamp() {
  const calls = useCalls();
  const [first, ...others] = calls.waiting.value;
  if (first === undefined) return null;
  const endsAt = calls.endsAt(first.id);
  return (
    <a class={styles.lamp} href="/calls">
      <span class={styles.light} aria-hidden="true">
        !
      </span>
      <span class={styles.words}>{counted("calls.one", "calls.many", others.length + 1)}</span>
      <span class={styles.count} aria-hidden="true">
        {others.length + 1}
      </span>
      {endsAt !== undefined && <Countdown endsAt={endsAt} />}
    </a>
  );
}
