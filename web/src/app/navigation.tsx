import { useLocation } from "preact-iso";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { sessionPlaces, teamPlaces } from "./places.ts";
import styles from "./navigation.module.css";

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
