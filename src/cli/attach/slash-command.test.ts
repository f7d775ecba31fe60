import { expect, test } from "vitest";
import { similarName } from "./find-similar-name.ts";
import { commandIn, mustBeKnown } from "./slash-command.ts";

const own = ["model", "mode", "quit"];
const listed = [{ name: "compact" }, { name: "usage", aliases: ["cost"] }, { name: "my:deploy" }];

test.each([
  ["/model opus", "model"],
  ["/my:deploy", "my:deploy"],
  ["/etc/hosts is wrong", undefined],
  ["a /model", undefined],
  [" /modle", undefined],
  ["/", undefined],
])("commandIn finds in %j the command %j", (line, name) => {
  expect(commandIn(line)).toBe(name);
});

test("a mistyped command is refused with the one that was probably meant", () => {
  expect(() => mustBeKnown("/modle opus", own, listed)).toThrow(
    "There is no command /modle. Did you mean /model?",
  );
  expect(() => mustBeKnown("/my:depoly now", own, listed)).toThrow("Did you mean /my:deploy?");
  expect(() => mustBeKnown("/frobnicate", own, listed)).toThrow(/^There is no command \S+$/);
});

test("commands of the session are accepted: its own, their aliases and those of the project", () => {
  for (const line of ["/compact", "/cost", "/my:deploy to production", "no command"]) {
    expect(() => mustBeKnown(line, own, listed)).not.toThrow();
  }
});

test("until the session's commands are known, only a misspelled command of ours is refused", () => {
  expect(() => mustBeKnown("/my:deploy", own, undefined)).not.toThrow();
  expect(() => mustBeKnown("/modle", own, undefined)).toThrow("Did you mean /model?");
});

test.each([
  ["modle", "model"],
  ["MODEL", "model"],
  ["comapct", "compact"],
  ["compac", "compact"],
  ["xyz", undefined],
  ["qt", undefined],
])("similarName takes %j for %j", (typed, meant) => {
  expect(similarName(typed, ["model", "compact", "quit"])).toBe(meant);
});
