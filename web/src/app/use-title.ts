import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useCalls } from "../calls/use-calls.ts";
import { usePage } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import { iconWith } from "./icon.ts";
import { sessionPlaces, teamPlaces } from "./places.ts";

/** The tab says where one is, and how many calls wait: in words, and in its picture. */
export function useTitle(): void {
  const { team, session } = usePage();
  const { path } = useLocation();
  const count = useCalls().waiting.value.length;
  const here = path === "/" ? (team ? "/board" : "/talk") : path;
  const place = (team ? teamPlaces : sessionPlaces).find(
    (each) => here === each.path || here.startsWith(`${each.path}/`),
  );
  const agent = /^\/a\/([^/]+)/.exec(here)?.[1];
  const words = [
    agent === undefined ? place && t(place.word) : decodeURIComponent(agent),
    team?.status.value?.team ?? (session?.cwd.value.split("/").at(-1) || t("app.name")),
  ];
  const title = words.filter((word) => word !== undefined).join(" · ");
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${title}` : title;
  }, [title, count]);
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link) link.href = iconWith(count);
  }, [count]);
}
