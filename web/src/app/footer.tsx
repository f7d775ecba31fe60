import { usePage } from "../state/page-state.ts";
import type { WordKey } from "../words/words.ts";
import { counted, money, t } from "../words/words.ts";
import type { LinkState } from "../link/link-state.ts";
import { openSheet } from "./open-sheet.ts";
import styles from "./footer.module.css";

const linkWords: Readonly<Record<LinkState["kind"], WordKey>> = {
  connecting: "foot.connecting",
  live: "foot.live",
  lost: "foot.lost",
  ended: "foot.ended",
};

/** The state of the connection, and the team's sums. */
export function Footer() {
  const { team, session } = usePage();
  const link = (team ?? session)?.link.value.kind ?? "connecting";
  return (
    <footer class={styles.footer}>
      <span data-link={link}>{t(linkWords[link])}</span>
      {session && <span>{t("foot.seq", { seq: session.conversation.value.seq })}</span>}
      {team && (
        <>
          <span>{t("foot.seq", { seq: (void team.tick.value, team.view.lastSeq) })}</span>
          <span>{t("foot.cost", { cost: money(costOf(team.status.value)) })}</span>
          <span>{counted("foot.openTask", "foot.openTasks", team.view.openTasks.size)}</span>
        </>
      )}
      <span class={styles.sheets}>
        <button type="button" onClick={() => (openSheet.value = "keys")}>
          <kbd>?</kbd> {t("foot.keys")}
        </button>
        <button type="button" onClick={() => (openSheet.value = "goTo")}>
          <kbd>{navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K"}</kbd> {t("foot.goTo")}
        </button>
      </span>
    </footer>
  );
}

const costOf = (status: { agents: readonly { cost_usd: number }[] } | undefined): number =>
  (status?.agents ?? []).reduce((sum, { cost_usd }) => sum + cost_usd, 0);
