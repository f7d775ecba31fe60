import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { EngineMessage } from "../../src/engine/to-sdk-message.ts";
import type { TurnEndedEvent } from "../../src/engine/events.ts";
import type { JournalEntry } from "../../src/rehearsal/journal.ts";
import { HostProcess } from "../support/engine-host-process.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { allCells, modelDelayMs, rounds } from "../support/rounds.ts";

type Trigger = "queued" | "row on disk" | "request" | "first delta" | "result";
type Victim = "host" | "cli";

const anyTrigger: Trigger[] = ["queued", "row on disk", "request", "first delta", "result"];
/** A quiet message asks nothing of the model. */
const quietTrigger: Trigger[] = ["queued", "row on disk", "result"];

/** In a short run each case has two opposite surroundings of the four; together they cover all four. */
const chosen = (triggers: Trigger[], victim: Victim, temperature: string): Trigger[] => {
  const turn = Number(victim === "cli") + Number(temperature === "warm");
  return allCells ? triggers : triggers.filter((_, index) => (index + turn) % 2 === 0);
};

/** A message whose text stands nowhere else. */
interface Probe {
  id: string;
  text: string;
}

function sayProbe(host: HostProcess, more: Partial<EngineMessage> = {}): Probe {
  const text = `PROBE-${randomUUID()}`;
  return { text, id: host.say(text, more) };
}

async function reached(
  trigger: Trigger,
  { id, text }: Probe,
  host: HostProcess,
  stage: Stage,
): Promise<void> {
  switch (trigger) {
    case "queued":
      await host.until("message_state", {
        fits: (event) => event.id === id && event.state === "queued",
      });
      break;
    case "row on disk":
      while (!host.onDisk(id)) await delay(2);
      break;
    case "request":
      await journalTells(stage, (entry) => copies(entry, text) > 0);
      break;
    case "first delta":
      await journalTells(
        stage,
        (entry) => copies(entry, text) > 0 && entry.first_delta_at !== undefined,
      );
      break;
    case "result":
      await host.until("turn_ended", { fits: ({ messages }) => messages.includes(id) });
      break;
  }
}

function journalTells(
  { rehearsal: { journal } }: Stage,
  fits: (entry: JournalEntry) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (journal.entries.some(fits)) resolve();
    };
    journal.listen(look);
    look();
  });
}

const copies = (entry: JournalEntry, text: string): number =>
  JSON.stringify(entry.body?.["messages"] ?? []).split(text).length - 1;

/** Kills, waits for the recovery, and for the end of whatever it runs again. */
async function strike(victim: Victim, host: HostProcess): Promise<void> {
  const since = host.told.length;
  if (victim === "host") {
    await host.kill();
    host.restart();
  } else {
    process.kill(host.cliPid, "SIGKILL");
  }
  const { rerun, push } = await host.until("plan", { since });
  if (!rerun && push.length === 0) return;
  const fits = ({ messages }: TurnEndedEvent) =>
    push.length === 0 || messages.includes(push.at(-1) ?? "");
  await host.until("turn_ended", { since, fits });
}

function stageFor(round: number): Promise<Stage> {
  const delay_ms = modelDelayMs(round);
  const work = { name: "Bash", input: { command: "sleep 0.6; echo worked" } };
  return setStage({
    rules: [
      // Every other script makes the same call again when the turn is taken up.
      { when: { user: "WORK" }, tools: [work], delay_ms, ...(round % 2 === 0 && { times: 1 }) },
      { text: "A longer answer, in several pieces.", delay_ms, delta_chars: 6, delta_delay_ms: 20 },
    ],
  });
}

/** Another message, and what the model is sent with it: that request shows what the conversation holds. */
async function nextRequest(host: HostProcess, stage: Stage): Promise<JournalEntry> {
  const text = `final ${randomUUID()}`;
  const id = host.say(text);
  await host.until("turn_ended", {
    fits: ({ messages }) => messages.includes(id),
  });
  const entry = stage.rehearsal.journal.entries.find(
    (at) => at.kind === "main" && copies(at, text) > 0,
  );
  if (!entry) throw new Error("the final message has reached no request");
  return entry;
}

/** Did the model speak after these words? */
function answeredAfter(entry: JournalEntry, text: string): boolean {
  const messages = entry.body?.["messages"] as { role: string }[];
  const at = messages.findIndex((message) => JSON.stringify(message).includes(text));
  return messages.slice(at + 1).some(({ role }) => role === "assistant");
}

describe.each<Victim>(["host", "cli"])("when the %s is killed", (victim) => {
  describe.each(["cold", "warm"])("%s", (temperature) => {
    async function begin(round: number): Promise<{ stage: Stage; host: HostProcess }> {
      const stage = await stageFor(round);
      const host = new HostProcess(stage);
      if (temperature === "warm") {
        const id = host.say("hello");
        await host.until("turn_ended", { fits: ({ messages }) => messages.includes(id) });
      }
      return { stage, host };
    }

    describe.each(rounds)("round %i", (round) => {
      describe.each([
        ["idle", {}],
        ["idle, another's words", { relayed: true }],
      ])("%s", (_name, more) => {
        test.each(chosen(anyTrigger, victim, temperature))("at: %s", async (trigger) => {
          const { stage, host } = await begin(round);
          const probe = sayProbe(host, more);
          await reached(trigger, probe, host, stage);
          await strike(victim, host);
          const request = await nextRequest(host, stage);
          expect(copies(request, probe.text)).toBe(1);
          expect(answeredAfter(request, probe.text)).toBe(true);
        });
      });

      test.each(chosen(anyTrigger, victim, temperature))("busy, at: %s", async (trigger) => {
        const { stage, host } = await begin(round);
        const work = `WORK-${randomUUID()}`;
        host.say(work);
        await host.until("tool_use");
        const probe = sayProbe(host);
        await reached(trigger, probe, host, stage);
        await strike(victim, host);
        const request = await nextRequest(host, stage);
        expect(copies(request, work)).toBe(1);
        expect(copies(request, probe.text)).toBe(1);
        expect(answeredAfter(request, probe.text)).toBe(true);
      });

      test.each(chosen(quietTrigger, victim, temperature))("quiet, at: %s", async (trigger) => {
        const { stage, host } = await begin(round);
        const probe = sayProbe(host, { quiet: true });
        await reached(trigger, probe, host, stage);
        await strike(victim, host);
        const request = await nextRequest(host, stage);
        expect(copies(request, probe.text)).toBe(1);
        const told = stage.rehearsal.journal.entries.filter(
          (entry) => copies(entry, probe.text) > 0,
        );
        expect(told).toEqual([request]);
      });
    });
  });
});
