import { once } from "node:events";
import { expect, test } from "vitest";
import { TeamStage } from "../support/team-stage.ts";

const alone = `
name: comeback
lead: lead
confirm_roles: false
agents:
  lead: { description: leads, prompt: p }
`;

const script = `
rules:
  - when: { user: think it over }
    text: Thought over.
    delay_ms: 4000
`;

test("`send` gets its answer from the next process after the team is killed, and sends once", async () => {
  const stage = new TeamStage(alone, script);
  const first = await stage.up({ ready: ["lead"] });
  const sender = stage.spawn(["send", "think it over", "--state-dir", stage.stateDir]);
  const said = { out: "", err: "" };
  sender.stdout?.on("data", (chunk) => (said.out += String(chunk)));
  sender.stderr?.on("data", (chunk) => (said.err += String(chunk)));
  const ended = once(sender, "close");
  await first.until("turn_started");
  first.child.kill("SIGKILL");
  await first.exited;
  await expect.poll(() => said.err).toContain("Waiting for the next one");
  const second = await stage.up({ ready: [] });
  expect(await ended).toEqual([0, null]);
  expect(said.out).toBe("Thought over.\n");
  const told = [...first.told, ...second.told];
  expect(told.filter(({ type }) => type === "message_sent")).toHaveLength(1);
  expect(await stage.requests("lead")).toHaveLength(1);
});
