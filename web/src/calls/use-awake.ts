import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** What a person presses this soon after a call came into view was meant for something else. */
export const ASLEEP_MS = 400;

/**
 * Whether keys and buttons of a call work: not before it has been in view, at one place, for a moment.
 *
 * @param place changes when the call moves on the screen.
 */
export function useAwake(ref: RefObject<HTMLElement | null>, place: string): boolean {
  const [isAwake, setAwake] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const sleep = (): void => {
      clearTimeout(timer);
      setAwake(false);
    };
    const appear = (): void => {
      sleep();
      timer = setTimeout(() => setAwake(true), ASLEEP_MS);
    };
    const stop = watchView(ref.current, appear, sleep);
    const look = (): void => (document.hidden ? sleep() : appear());
    document.addEventListener("visibilitychange", look);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [place]);
  return isAwake;
}

/** Without the means to see whether it is in view, it is taken to be. */
function watchView(element: HTMLElement | null, appear: () => void, leave: () => void): () => void {
  if (element === null || typeof IntersectionObserver === "undefined") {
    appear();
    return () => undefined;
  }
  const observer = new IntersectionObserver((entries) => {
    if (entries.at(-1)?.isIntersecting === true) appear();
    else leave();
  });
  observer.observe(element);
  return () => observer.disconnect();
}
