import { useEffect, useState } from "preact/hooks";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import styles from "./link-banner.module.css";

const SHOW_AFTER_MS = 2000;

/** Told after two seconds without a connection, and only to a page that is looked at. */
export function LinkBanner() {
  const { team, session } = usePage();
  const isAway = (team ?? session)?.link.value.kind === "lost";
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    setShown(false);
    if (!isAway) return undefined;
    const timer = setTimeout(() => setShown(!document.hidden), SHOW_AFTER_MS);
    const look = (): void => setShown(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [isAway]);
  if (team?.view.isStopping === true && isShown) {
    return <Banner title={t("link.stoppedTitle")} body={t("link.stoppedBody")} />;
  }
  return isShown ? <Banner title={t("link.lostTitle")} body={t("link.lostBody")} /> : null;
}

function Banner({ title, body }: { readonly title: string; readonly body: string }) {
  return (
    <div class={styles.banner} role="status">
      <b>{title}</b> {body}
    </div>
  );
}
