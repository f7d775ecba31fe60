import { useLocation } from "preact-iso";
import { usePage } from "../state/page-state.ts";
import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import styles from "./navigation.module.css";

interface Place {
  readonly path: string;
  readonly word: WordKey;
}

const teamPlaces: readonly Place[] = [
  { path: "/board", word: "nav.board" },
  { path: "/talk", word: "nav.talk" },
  { path: "/calls", word: "nav.calls" },
  { path: "/tasks", word: "nav.tasks" },
  { path: "/mail", word: "nav.mail" },
  { path: "/lost", word: "nav.lost" },
  { path: "/spend", word: "nav.spend" },
  { path: "/settings", word: "nav.settings" },
];

const sessionPlaces: readonly Place[] = [
  { path: "/talk", word: "nav.talk" },
  { path: "/calls", word: "nav.calls" },
  { path: "/settings", word: "nav.settings" },
];

export function Navigation() {
  const { team } = usePage();
  const { path } = useLocation();
  const home = team ? "/board" : "/talk";
  const here = path === "/" ? home : path;
  return (
    <nav class={styles.nav} aria-label={t("app.views")}>
      {(team ? teamPlaces : sessionPlaces).map((place) => (
        <a
          key={place.path}
          href={place.path}
          aria-current={
            here === place.path || here.startsWith(`${place.path}/`) ? "page" : undefined
          }
        >
          {t(place.word)}
        </a>
      ))}
    </nav>
  );
}
