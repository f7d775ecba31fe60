import { expect, onTestFinished, test } from "vitest";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/engine.ts";
import { errorOf } from "../../wire/errors.ts";
import { openLog } from "../log/event-log.ts";
import type { CliLife } from "./cli-life.ts";
import { Control } from "./control.ts";
import { Recorder } from "./recorder.ts";

/** A CLI that notes what it is asked for, and does `next` before it agrees. */
class FakeEngine {
  readonly asked: unknown[] = [];
  next: () => void = () => {};

  async setMode(mode: string): Promise<void> {
    this.#take(mode);
  }
  async setModel(model: string): Promise<void> {
    this.#take(model);
  }
  async setEffort(effort: string | null): Promise<void> {
    this.#take(effort);
  }

  #take(what: unknown): void {
    this.asked.push(what);
    this.next();
  }
}

function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const heard = hear(log);
  const engine = new FakeEngine();
  const life = {
    engine: engine as FakeEngine | undefined,
    whenReady: async () => engine as unknown as Engine,
  };
  const control = new Control(new Recorder(log), life as unknown as CliLife, "default");
  const told = () => eventsOf(textOf(heard)).filter(({ type }) => type.endsWith("_changed"));
  return { log, engine, life, control, told };
}

test("a change is made in the CLI and told once, with who asked, though the CLI tells of it too", async () => {
  const { engine, control, told } = stage();
  engine.next = () => control.modeIs("plan");
  await control.setMode("plan", "ann");
  engine.next = () => control.modelIs("");
  await control.setModel("opus", "ann");
  await control.setThinking("high", "ann");
  expect(engine.asked).toEqual(["plan", "opus", "high"]);
  expect(told()).toMatchObject([
    { type: "mode_changed", mode: "plan", previous: "default", by: "ann" },
    { type: "model_changed", model: "opus", by: "ann" },
    { type: "model_changed", model: "opus", effort: "high", by: "ann" },
  ]);
  expect(control.mode).toBe("plan");
});

test("what the CLI refuses is the sender's error, and changes and tells nothing", async () => {
  const { log, engine, control, told } = stage();
  engine.next = () => {
    throw errorOf("execution_failed", "not this one");
  };
  const refusals = [
    control.setMode("plan", "ann"),
    control.setModel("none", "ann"),
    control.setThinking("low", "ann"),
  ];
  for (const refused of refusals) {
    await expect(refused).rejects.toMatchObject({ code: "execution_failed" });
  }
  await log.durable();
  expect(told()).toEqual([]);
  expect(control.mode).toBe("default");
});

test("while no CLI is there the log alone is changed, except for what only a CLI can allow", async () => {
  const { log, engine, life, control } = stage();
  life.engine = undefined;
  await control.setMode("acceptEdits", "ann");
  await control.setThinking(null, undefined);
  expect(engine.asked).toEqual([]);
  expect(log.state).toMatchObject({ mode: "acceptEdits" });
  await control.setMode("bypassPermissions", "ann");
  expect(engine.asked).toEqual(["bypassPermissions"]);
});

test("a CLI that dies over a change is succeeded by one that has it, unless only a CLI can allow it", async () => {
  const { engine, life, control } = stage();
  engine.next = () => {
    life.engine = undefined;
    throw errorOf("cli_exited", "gone");
  };
  await control.setMode("plan", "ann");
  expect(control.mode).toBe("plan");
  life.engine = engine;
  await expect(control.setMode("bypassPermissions", "ann")).rejects.toMatchObject({
    code: "cli_exited",
  });
  expect(control.mode).toBe("plan");
});

test("what the CLI changes by itself has nobody's name; what is no change or not known is not told", async () => {
  const { log, control, told } = stage();
  control.modeIs("default");
  control.modeIs("a mode of tomorrow");
  control.modelIs("");
  control.modelIs("sonnet");
  control.modelIs("sonnet");
  control.modeIs("acceptEdits");
  await log.durable();
  expect(told()).toMatchObject([
    { type: "model_changed", model: "sonnet" },
    { type: "mode_changed", mode: "acceptEdits", previous: "default" },
  ]);
  expect(told().filter((event) => "by" in event)).toEqual([]);
});

test("a name by which the CLI chooses the model anew is kept for the next CLI, until another one is asked for", async () => {
  const { log, control, told } = stage();
  await control.setModel("opusplan", "ann");
  control.modelIs("sonnet");
  control.modelIs("opus");
  expect(log.state).toMatchObject({ model: "opus", modelAlias: "opusplan" });
  await control.setThinking("low", undefined);
  expect(log.state).toMatchObject({ model: "opus", modelAlias: "opusplan", effort: "low" });
  await control.setModel("opus", "ann");
  expect([log.state.model, log.state.modelAlias]).toEqual(["opus", undefined]);
  expect(told().at(-1)).toMatchObject({ model: "opus", by: "ann" });
});

test("such a name counts as well when a flag asks for it", () => {
  const { log, control } = stage();
  control.prefer({ model: "opusplan" });
  control.modelIs("sonnet");
  expect(log.state).toMatchObject({ model: "sonnet", modelAlias: "opusplan" });
});
