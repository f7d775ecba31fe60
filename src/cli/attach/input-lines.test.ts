import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { linesForLog } from "./input-lines.ts";

const elsewhere = { decide: () => undefined, speak: "Start it again." };

function inputOf(text: string): PassThrough {
  const input = new PassThrough();
  input.end(text);
  return input;
}

test.each(["What is 2+2?\n", "/approve", "/show 1\n\nhello\n", "/quitter\n"])(
  "a line for a session that does not run is refused: %j",
  async (text) => {
    await expect(linesForLog(inputOf(text), elsewhere)).rejects.toMatchObject({
      code: "read_only",
      hint: "Start it again.",
    });
  },
);

test("the input of a session that does not run may hold what is for this program itself", async () => {
  const lines = await linesForLog(inputOf("/show 2\n \n/help"), elsewhere);
  expect(lines).toEqual(["/show 2", "/help"]);
});

test("an input that stays open and holds nothing is waited for as long as its caller says", async () => {
  expect(await linesForLog(new PassThrough(), elsewhere, 1)).toEqual([]);
});
