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
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A page that comes back to view is connected again in a moment: that is no loss.
    const look = (): void => {
      clearTimeout(timer);
      setShown(false);
      if (!document.hidden) timer = setTimeout(() => setShown(true), SHOW_AFTER_MS);
    };
    document.addEventListener("visibilitychange", look);
    look();
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
