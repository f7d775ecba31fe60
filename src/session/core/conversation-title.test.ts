import { expect, onTestFinished, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/index.ts";
import { errorOf } from "../../wire/errors.ts";
import { openLog } from "../log/open-log.ts";
import { eventsOf, hear, textOf } from "../../../test/support/log-stage.ts";
import { Recorder } from "./event-recorder.ts";
import { Title } from "./conversation-title.ts";

function stage(rename: (title: string) => Promise<void>) {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const heard = hear(log);
  const engine = { rename } as unknown as Engine;
  const title = new Title(new Recorder(log), { whenReady: async () => engine });
  return { log, title, told: () => eventsOf(textOf(heard)) };
}

test("[SES-65] a rename is recorded once with who asked for it, though the CLI reports it too", async () => {
  const { title, told, log } = stage(async (words) => title.titleIs(words));
  await title.rename("The parser", "ann");
  await title.rename("The parser", "bob");
  title.titleIs("");
  title.titleIs("What the CLI found");
  await log.durable();
  expect(told()).toMatchObject([
    { type: "title_changed", title: "The parser", by: "ann" },
    { type: "title_changed", title: "What the CLI found" },
  ]);
  expect(told()[1]).not.toHaveProperty("by");
  expect(log.state.title).toBe("What the CLI found");
});

test("[SES-65] a rename that the CLI refuses changes nothing", async () => {
  const { title, told } = stage(async () => {
    throw errorOf("execution_failed", "Claude Code refused: no");
  });
  await expect(title.rename("x", "ann")).rejects.toMatchObject({ code: "execution_failed" });
  expect(told()).toEqual([]);
});

test("[SES-65] a CLI without a file of the session is given the title again", async () => {
  const given: string[] = [];
  const { title } = stage(async () => {});
  const engine = { rename: async (words: string) => void given.push(words) };
  await title.giveAgain(engine, false);
  title.titleIs("The parser");
  await title.giveAgain(engine, true);
  expect(given).toEqual([]);
  await title.giveAgain(engine, false);
  expect(given).toEqual(["The parser"]);
});
