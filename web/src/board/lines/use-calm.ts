import { useEffect, useRef, useState } from "preact/hooks";

const CALM_MS = 200;

/** A number that may change with every frame, in calm: the first change counts at once, the next ones some time later. */
export function useCalm(value: number): number {
  const [shown, setShown] = useState(value);
  const newest = useRef(value);
  const last = useRef(0);
  newest.current = value;
  useEffect(() => {
    if (value === shown) return undefined;
    const wait = Math.max(0, last.current + CALM_MS - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      setShown(newest.current);
    }, wait);
    return () => clearTimeout(timer);
  }, [value === shown, shown]);
  return shown;
}
