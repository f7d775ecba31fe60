// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { CallsList } from "./calls-list.tsx";
import { commandCall } from "./fake-decider.ts";
import { press, ticketStage } from "./ticket-stage.tsx";
import { ASLEEP_MS } from "./use-awake.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // The one of happy-dom never tells that anything is in view.
  vi.stubGlobal("IntersectionObserver", undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = (ms = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** A list with a call that has been in view long enough. */
async function stage(role: "owner" | "viewer" = "owner") {
  const all = ticketStage(<CallsList as="h2" />, role);
  onTestFinished(all.end);
  all.decider.come(commandCall("a"));
  await settle(ASLEEP_MS + 200);
  return all;
}

const kinds = ({ decider }: Awaited<ReturnType<typeof stage>>): string[] =>
  decider.decided.map(({ id, decision }) => `${id} ${decision.kind}`);

test("a ticket that comes does not take the focus, and none of its buttons is a default", async () => {
  const all = await stage();
  expect(document.activeElement).toBe(document.body);
  expect(all.root.querySelector("[autofocus], [type=submit]")).toBeNull();
  press("y");
  press("Enter");
  expect(kinds(all)).toEqual([]);
});

test("a ticket's letters act while the focus is in it", async () => {
  const all = await stage();
  all.ticket("a")?.focus();
  press("y");
  await settle();
  expect(kinds(all)).toEqual(["a approve"]);
});

test("a ticket's letters do nothing in its first 400 ms, nor when its neighbour has gone", async () => {
  const all = await stage();
  all.decider.come(commandCall("b", { deadline: "2026-11-18T12:06:00.000Z" }));
  await settle(20);
  all.ticket("b")?.focus();
  await settle(ASLEEP_MS - 150);
  press("y");
  await settle(400);
  expect(kinds(all)).toEqual([]);
  // The first goes, so the second moves to where it was.
  all.decider.end("a", { outcome: "allowed", by: "bob" });
  await settle(100);
  press("y");
  all.ticket("b")?.querySelector("button")?.click();
  expect(kinds(all)).toEqual([]);
  await settle(ASLEEP_MS + 200);
  press("y");
  await settle();
  expect(kinds(all)).toEqual(["b approve"]);
});

test("a ticket's letters do nothing until it has been in view for 400 ms, however long it has stood there", async () => {
  const view: { tell?: (isInView: boolean) => void } = {};
  class Observer {
    constructor(tell: (entries: { isIntersecting: boolean }[]) => void) {
      view.tell = (isIntersecting) => tell([{ isIntersecting }]);
    }
    observe(): void {}
    disconnect(): void {}
  }
  vi.stubGlobal("IntersectionObserver", Observer);
  const all = await stage();
  view.tell?.(false);
  all.ticket("a")?.focus();
  press("y");
  view.tell?.(true);
  await settle(ASLEEP_MS - 50);
  press("y");
  expect(kinds(all)).toEqual([]);
  await settle(100);
  press("y");
  await settle();
  expect(kinds(all)).toEqual(["a approve"]);
});

test("a ticket leaves keys alone that are repeated, modified, or an input method's", async () => {
  const all = await stage();
  all.ticket("a")?.focus();
  for (const init of [
    { repeat: true },
    { ctrlKey: true },
    { metaKey: true },
    { isComposing: true },
  ]) {
    press("y", init);
  }
  await settle();
  expect(kinds(all)).toEqual([]);
});

test("letters of a reason are letters, and Enter denies with it", async () => {
  const all = await stage();
  all.ticket("a")?.focus();
  press("n");
  await settle(200);
  const field = all.ticket("a")?.querySelector("textarea");
  expect(document.activeElement).toBe(field);
  for (const letter of "yes") expect(press(letter).defaultPrevented).toBe(false);
  field!.value = "yes, but not now";
  field!.dispatchEvent(new Event("input", { bubbles: true }));
  await settle();
  press("Enter", { isComposing: true });
  expect(kinds(all)).toEqual([]);
  press("Enter");
  await settle();
  const decision = { kind: "deny", reason: "yes, but not now", interrupt: false };
  expect(all.decider.decided).toEqual([{ id: "a", decision }]);
});

test("letters that follow n at once decide nothing, and are typed into the reason as soon as it is drawn", async () => {
  const all = await stage();
  all.ticket("a")?.focus();
  press("n");
  for (const letter of "ysa") press(letter);
  // Before the next key of a person a browser has done what was promised.
  for (let n = 0; n < 5; n += 1) await Promise.resolve();
  expect(document.activeElement).toBe(all.ticket("a")?.querySelector("textarea"));
  press("y");
  all.ticket("a")?.focus();
  press("y");
  await settle();
  expect(kinds(all)).toEqual([]);
});

test("Escape closes a part of a ticket wherever in it the focus is, and its letters act again", async () => {
  const all = await stage();
  all.ticket("a")?.focus();
  press("h");
  await settle();
  expect(document.activeElement?.textContent).toContain("5 min");
  all.ticket("a")?.focus();
  press("y");
  expect(kinds(all)).toEqual([]);
  press("Escape");
  await settle();
  expect(all.ticket("a")?.textContent).not.toContain("5 min");
  press("y");
  await settle();
  expect(kinds(all)).toEqual(["a approve"]);
});

test("a ticket that goes while it has the focus gives it to the head of the list, never to the next ticket", async () => {
  const all = await stage();
  all.decider.come(commandCall("b"));
  await settle(ASLEEP_MS + 200);
  all.ticket("a")?.focus();
  all.decider.end("a", { outcome: "denied", by: "bob" });
  await settle(20);
  expect(document.activeElement).toBe(all.root.querySelector("[data-calls-home]"));
  expect(all.root.textContent).toContain("denied by bob");
});

test("a ticket tells the rule of each longer permission, and where it is written", async () => {
  const all = await stage();
  expect(all.ticket("a")?.textContent).toContain("Bash(echo:*)");
  expect(all.ticket("a")?.textContent).toContain("for coder only · written to no file");
  expect(all.ticket("a")?.textContent).not.toContain("Allow for this session");
});

test("a viewer's ticket has no button, and its letters do nothing", async () => {
  const all = await stage("viewer");
  const ticket = all.ticket("a");
  expect(ticket?.querySelectorAll("button")).toHaveLength(0);
  ticket?.focus();
  press("y");
  await settle();
  expect(kinds(all)).toEqual([]);
});
