import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { CallsColumn } from "../calls/calls-column.tsx";
import { useCallNews } from "../calls/use-call-news.ts";
import { callsOf } from "../calls/use-calls.ts";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { Footer } from "./footer.tsx";
import { Header } from "./header.tsx";
import { LinkBanner } from "./link-banner.tsx";
import { Rail } from "./rail.tsx";
import { Sheets } from "./sheets.tsx";
import { useTitle } from "./use-title.ts";
import { SessionViews, TeamViews } from "./views.tsx";
import styles from "./shell.module.css";

/** The frame that all views stand in. Views scroll; the frame does not. */
export function Shell() {
  const page = usePage();
  const { team } = page;
  useEffect(() => callsOf(page).watch(), [page]);
  useCallNews();
  useTitle();
  const { path } = useLocation();
  const isCallsView = path.startsWith("/calls");
  return (
    <div class={styles.shell} data-columns={team ? "three" : "two"}>
      <a class={styles.skip} href="#content">
        {t("app.skip")}
      </a>
      <Header />
      {team && <Rail />}
      <main id="content" class={styles.main} tabindex={-1}>
        <LinkBanner />
        {team ? <TeamViews /> : <SessionViews />}
      </main>
      {!isCallsView && (
        <aside class={styles.aside} aria-label={t("nav.calls")}>
          <CallsColumn />
        </aside>
      )}
      <Footer />
      <Sheets />
    </div>
  );
}
