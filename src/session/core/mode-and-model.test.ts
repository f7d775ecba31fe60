import { expect, onTestFinished, test, vi } from "vitest";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/engine.ts";
import { errorOf } from "../../wire/errors.ts";
import { openLog } from "../log/open-log.ts";
import type { CliSupervisor } from "./cli-supervisor.ts";
import { ModeAndModel } from "./mode-and-model.ts";
import { Recorder } from "./event-recorder.ts";

/** A CLI that notes what it is asked for, and does `next` before it agrees. */
class FakeEngine {
  readonly asked: unknown[] = [];
  next: () => void = () => {};
  answer: (what: string) => Promise<void> = async () => {};

  async setMode(mode: string): Promise<void> {
    await this.#take(mode);
  }
  async setModel(model: string): Promise<void> {
    await this.#take(model);
  }
  async setEffort(effort: string | null): Promise<void> {
    await this.#take(effort);
  }

  async #take(what: string | null): Promise<void> {
    this.asked.push(what);
    this.next();
    await this.answer(String(what));
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
  const control = new ModeAndModel(new Recorder(log), life as unknown as CliSupervisor, "default");
  const told = () => eventsOf(textOf(heard)).filter(({ type }) => type.endsWith("_changed"));
  return { log, engine, life, control, told };
}

test("a change is made in the CLI and recorded once, with who asked, though the CLI reports it too", async () => {
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

test("a mode that the CLI reports is attributed to the client that asked for it, also among others", async () => {
  const { engine, control, told } = stage();
  const answers = new Map<string, () => void>();
  engine.answer = (what) => new Promise((resolve) => answers.set(what, resolve));
  const changes = [
    control.setMode("plan", "ann"),
    control.setModel("opus", "bob"),
    control.setMode("acceptEdits", "eve"),
  ];
  await vi.waitUntil(() => answers.size === 3);
  control.modeIs("plan");
  // When bob's change ends, those of the others are still under way.
  answers.get("opus")?.();
  await changes[1];
  control.modeIs("acceptEdits");
  control.modeIs("default");
  for (const agree of answers.values()) agree();
  await Promise.all(changes);
  const modes = told().filter(({ type }) => type === "mode_changed");
  expect(modes.slice(0, 3)).toMatchObject([
    { mode: "plan", by: "ann" },
    { mode: "acceptEdits", by: "eve" },
    { mode: "default" },
  ]);
  expect(modes[2]).not.toHaveProperty("by");
});

test("a change that the CLI refuses is the sender's error, and nothing is recorded", async () => {
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

test("while no CLI runs only the log is changed, except for what only a CLI can allow", async () => {
  const { log, engine, life, control } = stage();
  life.engine = undefined;
  await control.setMode("acceptEdits", "ann");
  await control.setThinking(null, undefined);
  expect(engine.asked).toEqual([]);
  expect(log.state).toMatchObject({ mode: "acceptEdits" });
  await control.setMode("bypassPermissions", "ann");
  expect(engine.asked).toEqual(["bypassPermissions"]);
});

test("the successor of a CLI that died during a change has the change, unless only a CLI can allow it", async () => {
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

test("a change by the CLI itself names no client; no change, or an unknown one, is not recorded", async () => {
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

test("an alias of a model is kept for the next CLI, until another model is requested", async () => {
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

test("an alias from a flag counts as well", () => {
  const { log, control } = stage();
  control.prefer({ model: "opusplan" });
  control.modelIs("sonnet");
  expect(log.state).toMatchObject({ model: "sonnet", modelAlias: "opusplan" });
});
