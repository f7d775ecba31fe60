import { expect, test } from "vitest";
import { showHidden } from "./show-hidden.ts";

test("showHidden names every character that a person would not see, and leaves the rest as it is", () => {
  expect(showHidden("rm \u202etxt.\u200b\u0007a\tb\nc")).toBe(
    "rm [U+202E]txt.[U+200B][U+0007]a\tb\nc",
  );
  expect(showHidden("über 日本 👨‍👩‍👧 ☀️")).toBe("über 日本 👨‍👩‍👧 ☀️");
  expect(showHidden("a\u200db\u{e0041}")).toBe("a[U+200D]b[U+E0041]");
  expect(showHidden("a\r\nb\rc")).toBe("a\nb[U+000D]c");
});
