import { expect, test, vi } from "vitest";
import type { Engine } from "../../engine/index.ts";
import type { ModelChoice, SlashCommand } from "../../wire/session/choices.ts";
import { OfferedChoices } from "./offered-choices.ts";

function engineWith(commands: string[], models: string[]): Engine {
  const fake = {
    slashCommands: async (): Promise<SlashCommand[]> => commands.map((name) => ({ name })),
    models: async (): Promise<ModelChoice[]> =>
      models.map((id) => ({ id, label: id, efforts: [] })),
  };
  return fake as unknown as Engine;
}

test("[SES-63] OfferedChoices tells a change once, and keeps the lists that have not changed", async () => {
  const choices = new OfferedChoices();
  const changed = vi.fn<() => void>();
  choices.watch(changed);
  choices.startedIn("plan");
  await choices.ask(engineWith(["compact"], ["sonnet"]));
  await choices.ask(engineWith(["compact"], ["sonnet"]));
  choices.startedIn("default");
  expect(changed).toHaveBeenCalledTimes(2);
  await choices.askCommands(engineWith(["compact", "new"], []));
  expect(changed).toHaveBeenCalledTimes(3);
  expect(choices.known).toMatchObject({
    models: [{ id: "sonnet" }],
    slash_commands: [{ name: "compact" }, { name: "new" }],
  });
});

test("[SES-63] OfferedChoices offers bypassPermissions only for a CLI that was started in it", () => {
  const choices = new OfferedChoices();
  choices.startedIn("bypassPermissions");
  expect(choices.known.modes).toContain("bypassPermissions");
  choices.startedIn("default");
  expect(choices.known.modes).not.toContain("bypassPermissions");
  expect(choices.known.modes).toEqual(expect.arrayContaining(["default", "plan", "acceptEdits"]));
});

test("[SES-63] OfferedChoices has the commands of a CLI that names no models", async () => {
  const choices = new OfferedChoices();
  const old = engineWith(["compact"], []);
  old.models = () => Promise.reject(new Error("It has none."));
  await choices.ask(old);
  expect(choices.known).toEqual({ slash_commands: [{ name: "compact" }] });
});
