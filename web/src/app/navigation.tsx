import { useLocation } from "preact-iso";
import { useEffect, useRef } from "preact/hooks";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { sessionPlaces, teamPlaces } from "./places.ts";
import styles from "./navigation.module.css";

export function Navigation() {
  const { team } = usePage();
  const { path } = useLocation();
  const home = team ? "/board" : "/talk";
  const here = path === "/" ? home : path;
  const nav = useRef<HTMLElement>(null);
  // On a telephone not all of them have room.
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  return (
    <nav ref={nav} class={styles.nav} aria-label={t("app.views")}>
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
