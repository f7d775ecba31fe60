// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { ComposerState } from "./composer-state.ts";

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

test("`ComposerState.send` empties the line at once, and brings a text back that was not sent", async () => {
  const composer = new ComposerState("a");
  composer.type("hello");
  expect(composer.send(() => Promise.reject(new Error("no way")))).toBe(true);
  expect(composer.text.value).toBe("");
  composer.type("typed on");
  await settled();
  expect(composer.text.value).toBe("hello\ntyped on");
  expect(composer.problem.value).toContain("no way");
  expect(composer.sending.value).toEqual([]);
});

test("`ComposerState.send` sends nothing when there is nothing", () => {
  const composer = new ComposerState("a");
  composer.type("  \n");
  expect(composer.send(() => Promise.reject(new Error("never")))).toBe(false);
});

test("`ComposerState.addFiles` takes pictures, and says why it does not take others", async () => {
  const composer = new ComposerState("a");
  await composer.addFiles([
    new File([new Uint8Array([1, 2, 3])], "a.png", { type: "image/png" }),
    new File(["<svg/>"], "b.svg", { type: "image/svg+xml" }),
  ]);
  expect(composer.pictures.value.map(({ name, data }) => [name, data])).toEqual([
    ["a.png", "AQID"],
  ]);
  expect(composer.problem.value).toContain("b.svg");
  const sent: unknown[] = [];
  composer.send((message) => Promise.resolve(sent.push(message)));
  expect(sent).toEqual([
    [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AQID" } }],
  ]);
});

test("`ComposerState.sending` has the words of each message until it is answered", async () => {
  const composer = new ComposerState("a");
  const first = Promise.withResolvers<void>();
  composer.type("one ");
  composer.send(() => first.promise);
  composer.type("two");
  composer.send(() => new Promise(() => {}));
  expect(composer.sending.value.map(({ text }) => text)).toEqual(["one", "two"]);
  first.resolve();
  await settled();
  expect(composer.sending.value.map(({ text }) => text)).toEqual(["two"]);
});
