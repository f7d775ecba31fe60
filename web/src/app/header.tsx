import { usePage } from "../state/page-state.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { CallsLamp } from "../calls/calls-lamp.tsx";
import { t } from "../words/words.ts";
import { Navigation } from "./navigation.tsx";
import styles from "./header.module.css";

/** Whose page this is, the views, and the lamp that tells that a person is wanted. */
export function Header() {
  const { team, session } = usePage();
  const status = team?.status.value;
  const isRehearsed = status?.rehearsal ?? session?.isRehearsed.value ?? false;
  return (
    <header class={styles.header}>
      <a class={styles.brand} href="/" aria-label={t("app.name")}>
        <svg viewBox="0 0 40 20" width="40" height="20" aria-hidden="true">
          <circle cx="9" cy="10" r="8" class={styles.ring} />
          <circle cx="9" cy="10" r="4" class={styles.hole} />
          <circle cx="29" cy="10" r="8" class={styles.ring} />
          <circle cx="29" cy="10" r="4" class={styles.hole} />
        </svg>
        <b>{t("app.name")}</b>
      </a>
      {status && <span class={styles.team}>{status.team}</span>}
      {session && <Directory path={session.cwd.value} />}
      {isRehearsed && (
        <span class={styles.rehearsed} title={t("app.rehearsedHelp")}>
          {t("app.rehearsed")}
        </span>
      )}
      <Navigation />
      <CallsLamp />
    </header>
  );
}

/** Of a single session: where it works, by the last name of the path. */
function Directory({ path }: { readonly path: string }) {
  const name = path.split("/").findLast((part) => part !== "");
  return name === undefined ? null : (
    <span class={styles.directory} title={path}>
      <VisibleText text={name} />
    </span>
  );
}
