import { expect, test } from "vitest";
import { chooseSettings, settingsToStartWith } from "./settings-chosen-by-person.ts";

test("[TEAM-26] what a person has set for an agent holds for its next run, until the team file says something else", () => {
  const file = { permissionMode: "default", model: undefined } as const;
  const first = chooseSettings(undefined, file, { mode: "plan" });
  expect(settingsToStartWith(first, file)).toEqual({ mode: "plan" });
  const chosen = chooseSettings(first, file, { model: "haiku" });
  expect(settingsToStartWith(chosen, file)).toEqual({ mode: "plan", model: "haiku" });
  expect(settingsToStartWith(chosen, { ...file, permissionMode: "acceptEdits" })).toEqual({
    model: "haiku",
  });
  expect(settingsToStartWith(chosen, { ...file, model: "sonnet" })).toEqual({ mode: "plan" });
  expect(settingsToStartWith(undefined, file)).toEqual({});
});
