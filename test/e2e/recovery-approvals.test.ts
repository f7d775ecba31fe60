import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import type { Victim } from "../support/kill-and-restart.ts";
import { killAndRestart } from "../support/kill-and-restart.ts";
import {
  conversationOf as conversation,
  leaveMark,
  modelRequests,
  timesRun,
} from "../support/requests.ts";
import { allCells, modelDelayMs, rounds } from "../support/rounds.ts";
import { tempDir } from "../support/temp-dir.ts";

const lastRequest = (stage: Stage): JournalEntry | undefined => modelRequests(stage).at(-1);

/** The CLI's own words when it must guess; false for a call that was not allowed. */
const falseWords = /outcome is unknown|interrupted: /;

/** A run that makes a choice kills the host alone: the next one does the same work for both. */
const victims: Victim[] = allCells ? ["host", "cli"] : ["host"];
const cells = victims.flatMap((victim) => rounds.map((round) => ({ victim, round })));

describe.each(cells)("$victim killed, round $round", ({ victim, round }) => {
  const delay_ms = modelDelayMs(round);
  const restart = (host: HostProcess): Promise<number> => killAndRestart(host, victim);
  test.each([0, 30, 300])(
    "an open question is asked again, killed after %i ms",
    async (afterMs) => {
      const stage = await setStage({
        rules: [
          { when: { user: "make the mark" }, tools: [leaveMark("one")], delay_ms },
          { when: { tool_result: "Bash" }, text: "It is done.", delay_ms },
          { text: "I have nothing to add.", delay_ms },
        ],
      });
      const host = new HostProcess(stage);
      host.say("make the mark");
      const first = await host.until("ask");
      await delay(afterMs);
      const since = await restart(host);
      const again = await host.until("ask", { since });
      const plan = await host.until("plan", { since });
      // The same question under its own id, or another one that is known to take its place.
      expect(plan.parked ? [again.request_id] : plan.superseded).toEqual([first.request_id]);
      expect(timesRun(stage, "one")).toBe(0);
      host.answer(again.request_id, true);
      const ended = await host.until("turn_ended", { since });
      expect(ended).toMatchObject({ stop_reason: "completed", text: "It is done." });
      expect(timesRun(stage, "one")).toBe(1);
      expect(conversation(lastRequest(stage))).not.toMatch(falseWords);
      expect(conversation(lastRequest(stage)).split("make the mark")).toHaveLength(2);
    },
  );

  test("a question that is not answered again never runs", async () => {
    const stage = await setStage({
      rules: [{ tools: [leaveMark("one")], delay_ms }],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    await host.until("ask");
    for (let death = 0; death < 3; death += 1) {
      const since = await restart(host);
      await host.until("ask", { since });
    }
    expect(timesRun(stage, "one")).toBe(0);
  });

  test("a model that changes its mind after the restart is not held to its call", async () => {
    const stage = await setStage({
      rules: [
        { tools: [leaveMark("one")], delay_ms, times: 1 },
        { text: "I think better of it.", delay_ms },
      ],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    const first = await host.until("ask");
    const since = await restart(host);
    const plan = await host.until("plan", { since });
    if (plan.parked) host.answer((await host.until("ask", { since })).request_id, false);
    await host.until("turn_ended", { since });
    expect(plan.parked ? [first.request_id] : plan.superseded).toEqual([first.request_id]);
    expect(timesRun(stage, "one")).toBe(0);
    expect(conversation(lastRequest(stage))).not.toMatch(falseWords);
  });

  test("a denial after the restart reaches the model", async () => {
    const stage = await setStage({
      rules: [
        { when: { tool_result: { is_error: true } }, text: "Then not.", delay_ms },
        { tools: [leaveMark("one")], delay_ms },
      ],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    await host.until("ask");
    const since = await restart(host);
    const again = await host.until("ask", { since });
    host.answer(again.request_id, false);
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "Then not." });
    expect(conversation(lastRequest(stage))).toContain("Not now.");
    expect(timesRun(stage, "one")).toBe(0);
  });

  test("several open requests are asked again under new ids, and no call runs without permission", async () => {
    const directory = tempDir();
    const outside = ["one", "two"].map((name) => {
      const file_path = join(directory, name);
      writeFileSync(file_path, `SECRET-${name}`);
      return { name: "Read", input: { file_path } };
    });
    const stage = await setStage({
      rules: [
        { when: { user: "look" }, tools: outside, delay_ms },
        { when: { tool_result: "Read" }, text: "I have looked." },
        { text: "Well." },
      ],
    });
    const host = new HostProcess(stage);
    host.say("look");
    await vi.waitFor(
      () => expect(host.told.filter(({ type }) => type === "ask")).toHaveLength(2),
      20_000,
    );
    const asked = host.told.flatMap((event) => (event.type === "ask" ? [event.request_id] : []));
    const since = await restart(host);
    const plan = await host.until("plan", { since });
    expect(plan.superseded.toSorted()).toEqual(asked.toSorted());
    const next = () =>
      host.told.slice(since).flatMap((event) => (event.type === "ask" ? [event.request_id] : []));
    await vi.waitFor(() => expect(next()).toHaveLength(2), 30_000);
    expect(JSON.stringify(host.told)).not.toContain("SECRET-");
    expect(JSON.stringify(stage.rehearsal.journal.entries)).not.toContain("SECRET-");
    for (const id of next()) host.answer(id, true);
    expect(await host.until("turn_ended", { since })).toMatchObject({ text: "I have looked." });
    const told = conversation(lastRequest(stage));
    for (const secret of ["SECRET-one", "SECRET-two"]) expect(told).toContain(secret);
    expect(told).not.toMatch(falseWords);
  });

  test("a call that was allowed and had started is reported to the model, and does not run again unasked", async () => {
    const stage = await setStage({
      rules: [
        {
          when: { user: "make the mark" },
          tools: [leaveMark("one", "sleep 20")],
          delay_ms,
          times: 1,
        },
        { text: "I will look what became of it.", delay_ms },
      ],
    });
    const host = new HostProcess(stage);
    host.say("make the mark");
    const { request_id } = await host.until("ask");
    host.answer(request_id, true);
    await vi.waitFor(() => expect(timesRun(stage, "one")).toBe(1), 20_000);
    const since = await restart(host);
    await host.until("turn_ended", { since });
    const told = conversation(lastRequest(stage));
    expect(told).toContain("was started, its outcome is unknown");
    expect(told).toContain("echo ran >> one");
    expect(told.split("make the mark")).toHaveLength(2);
    expect(timesRun(stage, "one")).toBe(1);
  });
});
