import { Key } from "../ui/key.tsx";
import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import type { Deciding } from "./use-decision.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import styles from "./ticket.module.css";

const MINUTE_MS = 60_000;
const lengths: readonly (readonly [ms: number, word: WordKey])[] = [
  [5 * MINUTE_MS, "calls.hold5"],
  [30 * MINUTE_MS, "calls.hold30"],
  [120 * MINUTE_MS, "calls.hold120"],
];

/** More time: the call waits so long from now. */
export function MoreTime({
  deciding,
  isDead,
  onDone,
}: {
  readonly deciding: Deciding;
  readonly isDead: boolean;
  readonly onDone: () => void;
}) {
  const ref = useFirstFocus<HTMLDivElement>("button");
  return (
    <div ref={ref} class={styles.panel} role="group" aria-label={t("calls.holdHelp")}>
      <p>{t("calls.holdHelp")}</p>
      <div class={styles.row}>
        {lengths.map(([ms, word]) => (
          <Key
            key={ms}
            isDisabled={isDead}
            onClick={() => {
              deciding.hold(ms);
              onDone();
            }}
          >
            {t(word)}
          </Key>
        ))}
        <Key onClick={onDone}>{t("calls.back")}</Key>
      </div>
    </div>
  );
}
