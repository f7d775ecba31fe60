import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import type { Victim } from "../support/kill-and-restart.ts";
import { killAndRestart } from "../support/kill-and-restart.ts";
import { persona } from "../support/persona.ts";
import { setStage } from "../support/rehearsed.ts";
import { conversationOf, leaveMark, modelRequests, timesRun } from "../support/requests.ts";
import { rounds } from "../support/rounds.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A CLI that does not wait has long asked the model by then. */
const HEARS_AFTER_MS = 3_000;

const speech = { text: "A long answer in many pieces. ".repeat(40), delta_delay_ms: 40 };

/** As on a machine with much to do: what its host says reaches this CLI only when the file is there. */
function cliThatHearsWhen(file: string): string {
  const path = join(tempDir(), "claude");
  const cli = locateCli();
  const wait = `while [ ! -e '${file}' ]; do sleep 0.05; done`;
  writeFileSync(
    path,
    `#!/bin/sh\n[ "$1" = --version ] && exec '${cli}' --version\n{ ${wait}; cat; } | '${cli}' "$@"\n`,
  );
  chmodSync(path, 0o755);
  return path;
}

describe.each(rounds)("round %i", () => {
  const cases = (["host", "cli"] as const).flatMap((victim) =>
    (["appended", "replaced"] as const).map((kind) => ({ victim, kind })),
  );

  // Who looks whether the requests have the prompt: HostProcess, at the end of each test.
  test.each(cases)(
    "a turn that the $victim's death cuts while the model speaks goes on with the $kind system prompt",
    async ({ victim, kind }) => {
      const stage = await setStage({
        rules: [
          { ...speech, times: 1 },
          { tools: [{ name: "Bash", input: { command: "ls" } }], times: 1 },
          { text: "I go on." },
        ],
      });
      const prompt = kind === "appended" ? "appendSystemPrompt" : "systemPrompt";
      const host = new HostProcess(stage, { [prompt]: persona });
      host.say("speak");
      await host.until("text_delta");
      const since = await killAndRestart(host, victim satisfies Victim);
      expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I go on." });
      expect(modelRequests(stage).length).toBeGreaterThanOrEqual(3);
    },
  );

  test("a turn that a death cuts while a tool runs goes on with the appended system prompt", async () => {
    const stage = await setStage({
      rules: [{ tools: [leaveMark("one", "sleep 20")], times: 1 }, { text: "I go on." }],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    host.answer((await host.until("ask")).request_id, true);
    await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
    const since = await killAndRestart(host, "cli");
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I go on." });
  });

  test("a turn that is resumed by a CLI with late hooks runs no call that a hook forbids", async () => {
    const stage = await setStage({
      rules: [
        { ...speech, times: 1 },
        { tools: [{ name: "Bash", input: { command: "ls FORBIDDEN ." } }], times: 1 },
        { text: "I go on." },
      ],
    });
    const heard = join(tempDir(), "heard");
    writeFileSync(heard, "");
    const host = new HostProcess(stage, {
      claudePath: cliThatHearsWhen(heard),
      appendSystemPrompt: persona,
      forbid: "FORBIDDEN",
    });
    host.say("speak");
    await host.until("text_delta");
    rmSync(heard);
    const since = await killAndRestart(host, "host");
    // It asks the model nothing, and so calls nothing, before it has heard what holds for it.
    await delay(HEARS_AFTER_MS);
    expect(modelRequests(stage)).toHaveLength(1);
    writeFileSync(heard, "");
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I go on." });
    expect(conversationOf(modelRequests(stage).at(-1))).toContain("Forbidden.");
  });
});
