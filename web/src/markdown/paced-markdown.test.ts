import { describe, expect, it } from "vitest";
import { PacedMarkdown } from "./paced-markdown.ts";

function stage() {
  const state = { now: 0, redraws: 0, waits: [] as number[], run: (): void => {} };
  const paced = new PacedMarkdown(() => void state.redraws++, {
    now: () => state.now,
    after: (ms, run) => {
      state.waits.push(ms);
      state.run = run;
      return () => void (state.run = () => {});
    },
  });
  let text = "";
  /** Hands in one more word, whose drawing takes so long. */
  const flush = (ms: number): number => {
    text += "word ";
    const blocks = paced.take(text, false);
    state.now += ms;
    paced.drawn();
    return JSON.stringify(blocks).match(/word/g)?.length ?? 0;
  };
  return { state, flush, paced, whole: () => text };
}

describe("PacedMarkdown", () => {
  it("draws each change while that is quick, one slow one among them too", () => {
    const { flush, state } = stage();
    expect([flush(3), flush(50), flush(3), flush(8), flush(8)]).toEqual([1, 2, 3, 4, 5]);
    expect(state.waits).toEqual([]);
  });

  it("rests as long as slow changes take, then asks to be drawn again", () => {
    const { flush, state, paced, whole } = stage();
    expect([flush(20), flush(20), flush(1), flush(1)]).toEqual([1, 2, 2, 2]);
    expect(state.waits).toEqual([20, 19]);
    state.now += 18;
    state.run();
    expect(state.redraws).toBe(1);
    expect(JSON.stringify(paced.take(whole(), false)).match(/word/g)).toHaveLength(4);
  });

  it("begins anew with another text, and ends with the text", () => {
    const { paced } = stage();
    paced.take("**one", true);
    expect(JSON.stringify(paced.take("two", true))).toContain("two");
    expect(paced.take("two", true)).toHaveLength(1);
    expect(paced.take("two", true)[0]?.open).toBe(false);
  });
});
