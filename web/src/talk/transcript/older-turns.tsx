import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { explain } from "../../link/errors.ts";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import styles from "./transcript.module.css";

/** The upper end: older turns are read when the person comes near, and by a button. */
export function OlderTurns({ scroller }: { readonly scroller: RefObject<HTMLElement | null> }) {
  const { state } = useTalk();
  const { hasOlder, isLoading, parts } = state.history;
  const ref = useRef<HTMLDivElement>(null);
  const [problem, setProblem] = useState<string>();
  const load = (): void => {
    setProblem(undefined);
    state.history.loadOlder().catch((error: unknown) => setProblem(explain(error)));
  };
  useEffect(() => {
    if (!ref.current || !hasOlder.value || problem !== undefined) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const isScrollable = (scroller.current?.scrollTop ?? 0) > 0;
        if (entries.some(({ isIntersecting }) => isIntersecting) && isScrollable) load();
      },
      { root: scroller.current, rootMargin: "400px 0px" },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [hasOlder.value, parts.value, problem]);
  if (state.life.value.kind === "opening") return null;
  return (
    <div ref={ref} class={styles.older}>
      {hasOlder.value ? (
        <button type="button" class={styles.olderKey} onClick={load}>
          {t(isLoading.value ? "talk.olderLoading" : "talk.older")}
        </button>
      ) : (
        state.conversation.value.items.length > 0 && <p>{t("talk.begin")}</p>
      )}
      {problem !== undefined && (
        <p role="alert">
          {t("talk.olderFailed")} {problem}
        </p>
      )}
    </div>
  );
}
