import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** What a person presses this soon after a call came was meant for something else. */
export const ASLEEP_MS = 400;

export interface Awake {
  /** Its buttons work: it has stood at its place for a moment. */
  readonly areButtons: boolean;
  /** Its letters work: that, and it has been in view for a moment. */
  readonly areLetters: boolean;
}

/** @param place changes when the call moves on the screen. */
export function useAwake(ref: RefObject<HTMLElement | null>, place: string): Awake {
  const [areButtons, setButtons] = useState(false);
  const [isSeen, setSeen] = useState(false);
  useEffect(
    () =>
      whenLong(setButtons, (start) => {
        const look = (): void => start(!document.hidden);
        document.addEventListener("visibilitychange", look);
        look();
        return () => document.removeEventListener("visibilitychange", look);
      }),
    [place],
  );
  useEffect(() => whenLong(setSeen, (start) => watchView(ref.current, start)), []);
  return { areButtons, areLetters: areButtons && isSeen };
}

/** Sets true when something has been so for long enough, and false when it is not so, or begins again. */
function whenLong(
  set: (is: boolean) => void,
  watch: (start: (is: boolean) => void) => () => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const start = (is: boolean): void => {
    clearTimeout(timer);
    set(false);
    if (is) timer = setTimeout(() => set(true), ASLEEP_MS);
  };
  const stop = watch(start);
  return () => {
    clearTimeout(timer);
    stop();
  };
}

/** Without the means to see whether it is in view, it is taken to be. */
function watchView(element: HTMLElement | null, tell: (isInView: boolean) => void): () => void {
  if (element === null || typeof IntersectionObserver === "undefined") {
    tell(true);
    return () => undefined;
  }
  const observer = new IntersectionObserver((entries) => {
    tell(entries.at(-1)?.isIntersecting === true);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
