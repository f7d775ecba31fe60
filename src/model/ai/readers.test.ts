import { expect, test, vi } from "vitest";
import { Readers } from "./readers.ts";

test("the last who gives up takes the step along, and its reason counts", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  const readers = new Readers(deserted);
  const [one, two] = [new AbortController(), new AbortController()];
  readers.add(one.signal);
  readers.add(two.signal);
  const leave = readers.add(undefined);
  one.abort("one");
  leave();
  leave();
  expect(deserted).not.toHaveBeenCalled();
  two.abort("two");
  expect(deserted.mock.calls).toEqual([["two"]]);
});

test("who was dismissed is not heard", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  const readers = new Readers(deserted);
  const abort = new AbortController();
  const leave = readers.add(abort.signal);
  readers.clear();
  abort.abort();
  leave();
  expect(deserted).not.toHaveBeenCalled();
});

test("who gave up before coming does not come", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  new Readers(deserted).add(AbortSignal.abort("before"));
  expect(deserted.mock.calls).toEqual([["before"]]);
});
