// @vitest-environment happy-dom
import { expect, test, vi } from "vitest";
import { CallsList } from "./calls-list.tsx";
import { commandCall } from "./fake-decider.ts";
import { press, ticketStage } from "./ticket-stage.tsx";

const ROUNDS = 8;
const KEYS = 150;
const letters = ["y", "n", "s", "a", "c", "h", "Y", " ", "g", "b", "?", "よ"];

/** Numbers that look random, the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

/** What a browser does with a key: types it where the focus is, if nothing has refused it. */
function typeKey(key: string, init: KeyboardEventInit = {}): void {
  const event = press(key, init);
  const field = document.activeElement;
  if (event.defaultPrevented || key.length !== 1) return;
  if (field instanceof HTMLTextAreaElement) field.value += key;
}

test("typing fast in a composer while requests come and go decides nothing and loses no letter", async () => {
  vi.useFakeTimers();
  // The one of happy-dom never tells that anything is in view.
  vi.stubGlobal("IntersectionObserver", undefined);
  let typed = 0;
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = randomOf(seed);
    const { decider, root, end } = ticketStage(
      <>
        <textarea />
        <CallsList as="h2" />
      </>,
    );
    const field = root.querySelector("textarea")!;
    field.focus();
    let expected = "";
    for (let n = 0; n < KEYS; n += 1) {
      const chance = random();
      if (chance < 0.1 && decider.waiting.value.length < 4) {
        const second = Math.floor(random() * 60);
        const deadline = `2026-11-18T12:05:${String(second).padStart(2, "0")}.000Z`;
        decider.come(commandCall(`c${n}`, { deadline }));
      } else if (chance < 0.2) {
        const [first] = decider.waiting.value;
        if (first) decider.end(first.id, { outcome: "allowed", by: "bob" });
      }
      const key = letters[Math.floor(random() * letters.length)] ?? "y";
      typeKey(key, { isComposing: key === "よ" });
      expected += key;
      if (random() < 0.1) typeKey("Enter");
      // From a burst of keys to a pause in which a call wakes up.
      await vi.advanceTimersByTimeAsync(random() < 0.1 ? 600 : 30);
      expect(document.activeElement).toBe(field);
      typed += 1;
    }
    expect(field.value).toBe(expected);
    expect(decider.decided).toEqual([]);
    expect(decider.held).toEqual([]);
    // The calls were awake: the same letter in one of them decides.
    decider.come(commandCall("last"));
    await vi.advanceTimersByTimeAsync(1000);
    root.querySelector<HTMLElement>("[data-call=last]")?.focus();
    press("y");
    await vi.advanceTimersByTimeAsync(1);
    expect(decider.decided.map(({ id }) => id)).toEqual(["last"]);
    end();
  }
  expect(typed).toBe(ROUNDS * KEYS);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
