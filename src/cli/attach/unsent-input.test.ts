import { expect, test } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import { Unsent } from "./unsent-input.ts";

test("Unsent keeps what was entered until the session has answered", async () => {
  const unsent = new Unsent();
  const answer = Promise.withResolvers<void>();
  const settled = unsent.until(answer.promise, "hello");
  expect(unsent.texts).toEqual(["hello"]);
  answer.resolve();
  expect(await settled).toBeUndefined();
  expect(unsent.texts).toEqual([]);
  const refused = unsent.until(Promise.reject(errorOf("read_only", "It is.")), "hello");
  expect(await refused).toMatchObject({ code: "read_only" });
  expect(unsent.texts).toEqual([]);
  const lost = Promise.reject(errorOf("connection_lost", "It is."));
  expect(await unsent.until(lost, "hello")).toBeUndefined();
  expect(unsent.texts).toEqual(["hello"]);
});
