import { describe, expect, it } from "vitest";
import type { FrameClock } from "./frames.ts";
import { Frames } from "./frames.ts";

/** A page whose frames come when the test says so. */
function stage() {
  const page = { hidden: false, due: [] as (() => void)[] };
  const clock: FrameClock = {
    next(run) {
      page.due.push(run);
      return () => void page.due.splice(page.due.indexOf(run), 1);
    },
    isHidden: () => page.hidden,
  };
  const taken: string[][] = [];
  const frames = new Frames<string>((items) => taken.push([...items]), clock);
  const draw = (): void => page.due.splice(0).forEach((run) => run());
  return { page, frames, taken, draw };
}

describe("Frames", () => {
  it("hands on all that has arrived in one frame, in its order", () => {
    const { frames, taken, draw } = stage();
    for (const item of ["a", "b", "c"]) frames.add(item);
    expect(taken).toEqual([]);
    draw();
    expect(taken).toEqual([["a", "b", "c"]]);
  });

  it("asks for no frame while nothing arrives", () => {
    const { page, frames, draw } = stage();
    frames.add("a");
    draw();
    expect(page.due).toEqual([]);
  });

  it("hands on 256 items at once when the page is hidden", () => {
    const { page, frames, taken } = stage();
    page.hidden = true;
    for (let number = 0; number < 256; number += 1) frames.add("x");
    expect(taken.map((items) => items.length)).toEqual([256]);
    expect(page.due).toEqual([]);
  });

  it("waits for the frame with any number of items while the page is visible", () => {
    const { frames, taken, draw } = stage();
    for (let number = 0; number < 1000; number += 1) frames.add("x");
    expect(taken).toEqual([]);
    draw();
    expect(taken.map((items) => items.length)).toEqual([1000]);
  });

  it("asks anew when the page becomes hidden, so that no item waits for a frame that does not come", () => {
    const { page, frames, taken, draw } = stage();
    frames.add("a");
    const [asked] = page.due;
    page.hidden = true;
    frames.visibilityChanged();
    expect(page.due).toHaveLength(1);
    expect(page.due[0]).not.toBe(asked);
    draw();
    expect(taken).toEqual([["a"]]);
  });
});
