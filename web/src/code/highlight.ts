import type { Root } from "hast";
import { useEffect, useState } from "preact/hooks";

const MAX_CHARS = 51_200;
const QUIET_MS = 300;

/** The tree of a code with its marks, once it is closed, no longer than 50 KB, and the page has nothing else to do. */
export function useHighlight(
  texts: readonly string[],
  language: string | undefined,
  open: boolean,
): Root | undefined {
  const [result, setResult] = useState<{
    readonly code: string;
    readonly tree: Root | undefined;
  }>();
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const isFit = !open && language !== undefined && length > 0 && length <= MAX_CHARS;
  const code = isFit ? texts.join("") : "";
  useEffect(() => {
    if (!isFit) return undefined;
    let isStale = false;
    const show = async (): Promise<void> => {
      const { highlight } = await import("./highlighter.ts");
      if (!isStale) setResult({ code, tree: highlight(code, language) });
    };
    const cancel = whenIdle(() => {
      // Without its colours a code can be read as well; the file may be gone after an update of the package.
      show().catch(() => setResult(undefined));
    });
    return () => {
      isStale = true;
      cancel();
    };
  }, [code, language, isFit]);
  return isFit && result?.code === code ? result.tree : undefined;
}

/** Not every browser says when it is idle. The pause also lets a code grow that stands in a list. */
function whenIdle(run: () => void): () => void {
  let idle: number | undefined;
  const timer = setTimeout(() => {
    if ("requestIdleCallback" in globalThis) idle = requestIdleCallback(run);
    else run();
  }, QUIET_MS);
  return () => {
    clearTimeout(timer);
    if (idle !== undefined) cancelIdleCallback(idle);
  };
}
