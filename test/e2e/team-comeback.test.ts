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
  - when: { user: count }
    text: One two three four five six seven eight nine ten.
    delta_chars: 6
    delta_delay_ms: 700
`;

test("`send` gets its answer from the next process after the team is killed, and sends once", async () => {
  const stage = new TeamStage(alone, script);
  let team = await stage.up({ ready: ["lead"] });
  const said = { out: "", err: "" };
  const send = (text: string): Promise<unknown[]> => {
    [said.out, said.err] = ["", ""];
    const sender = stage.spawn(["send", text, "--state-dir", stage.stateDir]);
    sender.stdout?.on("data", (chunk) => (said.out += String(chunk)));
    sender.stderr?.on("data", (chunk) => (said.err += String(chunk)));
    return once(sender, "close");
  };
  const killTeam = async (): Promise<void> => {
    team.child.kill("SIGKILL");
    await team.exited;
    await expect.poll(() => said.err).toContain("Waiting for the next one");
  };
  const ended = send("think it over");
  await team.until("turn_started");
  await killTeam();
  const first = team;
  team = await stage.up({ ready: [] });
  expect(await ended).toEqual([0, null]);
  expect(said.out).toBe("Thought over.\n");
  const told = [...first.told, ...team.told];
  expect(told.filter(({ type }) => type === "message_sent")).toHaveLength(1);
  expect(await stage.requests("lead")).toHaveLength(1);

  // Killed in the middle of a text: what was lost of it is not hidden in a line, and the whole answer follows.
  const counted = send("count");
  await expect.poll(() => said.out).toContain("One");
  await killTeam();
  expect(said.out).toMatch(/[^\n]\n$/);
  team = await stage.up({ ready: [] });
  expect(await counted).toEqual([0, null]);
  const answer = "One two three four five six seven eight nine ten.";
  const lines = said.out.trimEnd().split("\n");
  expect(lines.filter((line) => !answer.includes(line.trim()))).toEqual([]);
  expect(lines.at(-1)).toBe(answer);
});
