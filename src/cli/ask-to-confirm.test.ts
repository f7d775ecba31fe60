import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { confirm } from "./ask-to-confirm.ts";

function answered(answer: string | undefined, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.end(answer);
  return confirm("Delete it?", { input, output });
}

test.each<[string | undefined, boolean]>([
  ["y\n", true],
  ["YES\n", true],
  ["n\n", false],
  ["\n", false],
  ["yesterday\n", false],
  [undefined, false],
])("confirm takes %j for %s", async (answer, expected) => {
  expect(await answered(answer)).toBe(expected);
});

test("confirm asks nobody where there is no terminal", async () => {
  expect(await answered("y\n", false)).toBeUndefined();
});
