import { effect, untracked } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useRef } from "preact/hooks";
import type { PageState } from "../state/page-state.ts";
import { usePage } from "../state/page-state.ts";
import { notifications, sounds } from "../state/preferences.ts";
import { t } from "../words/words.ts";
import type { Call } from "./call.ts";
import { callTitle } from "./call-title.ts";
import type { GoneCall } from "./calls.ts";
import { CallNotifications } from "./call-notifications.ts";
import { NewCalls } from "./new-calls.ts";
import { outcomeText } from "./outcome-text.ts";
import { ring } from "./ring.ts";
import { callsOf } from "./use-calls.ts";

/** Tells a person of calls that come and go: to the ear of a screen reader, by a notification, by a sound. */
export function useCallNews(): void {
  const page = usePage();
  const { route } = useLocation();
  const go = useRef(route);
  go.current = route;
  useEffect(() => watchNews(page, (path) => go.current(path)), [page]);
}

function watchNews(page: PageState, go: (path: string) => void): () => void {
  const calls = callsOf(page);
  const fresh = new NewCalls();
  const shown = new CallNotifications((id) => go(`/calls/${encodeURIComponent(id)}`));
  let lastGone: GoneCall | undefined;
  const stops = [
    effect(() => {
      const waiting = calls.waiting.value;
      const isLive = calls.decider.isCaughtUp.value;
      untracked(() => {
        const news = fresh.look(waiting, isLive);
        shown.keepOnly(waiting);
        if (news.length === 0) return;
        page.announcement.value = { text: news.map(newsText).join(" "), isUrgent: true };
        if (sounds.value) ring();
        if (notifications.value && document.hidden) for (const call of news) shown.show(call);
      });
    }),
    effect(() => {
      const [last] = calls.gone.value;
      if (last === undefined || last === lastGone) return;
      lastGone = last;
      const text = t("calls.newsOver", { title: callTitle(last), outcome: outcomeText(last) });
      untracked(() => (page.announcement.value = { text, isUrgent: false }));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    shown.keepOnly([]);
  };
}

const newsText = (call: Call): string =>
  t("calls.news", { who: call.agent ?? t("calls.session"), title: callTitle(call) });
