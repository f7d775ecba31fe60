import { errorCodes, errorOf } from "agent-switchboard/wire";
import { afterEach, expect, test } from "vitest";
import { language } from "../words/words.ts";
import { explain } from "./errors.ts";

afterEach(() => void (language.value = "en"));

test("`explain` says an error in the person's language by its code, and then in its own words", () => {
  const error = errorOf("agent_unavailable", "The agent coder\u202E is asleep.");
  expect(explain(error)).toBe("The agent coder[U+202E] is asleep.");
  language.value = "ja";
  expect(explain(error)).toBe(
    "そのエージェントは今は応じられません。（The agent coder[U+202E] is asleep.）",
  );
});

test("`explain` knows every code in Japanese", () => {
  language.value = "ja";
  const unknown = errorCodes.filter((code) => explain(errorOf(code, "own")) === "own");
  expect(unknown).toEqual([]);
});

test("`explain` leaves errors of the browser in its words", () => {
  language.value = "ja";
  expect(explain(new TypeError("fetch failed"))).toBe("fetch failed");
});
