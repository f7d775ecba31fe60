import { expect, test, vi } from "vitest";
import { Readers } from "./readers.ts";

test("Readers ends the step when the last reader gives up, with that reader's reason", () => {
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

test("Readers ignores a dismissed reader", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  const readers = new Readers(deserted);
  const abort = new AbortController();
  const leave = readers.add(abort.signal);
  readers.clear();
  abort.abort();
  leave();
  expect(deserted).not.toHaveBeenCalled();
});

test("Readers does not add a reader whose signal is already aborted", () => {
  const deserted = vi.fn<(reason: unknown) => void>();
  new Readers(deserted).add(AbortSignal.abort("before"));
  expect(deserted.mock.calls).toEqual([["before"]]);
});
