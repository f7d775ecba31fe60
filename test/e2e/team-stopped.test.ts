import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TeamRun } from "../support/team-stage.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import type { Victim } from "../support/team-storm/victims.ts";
import { Crew } from "../support/team-storm/victims.ts";

const team = `
name: stopped
lead: boss
agents:
  boss: { description: leads, prompt: You lead. }
  coder: { description: codes, prompt: You code. }
`;

const script = `
rules:${roleRule}
  - when: { agent: boss, user: long-4 }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: part of long-4 } }]
    usage: { input_tokens: 990000 }
  - when: { agent: boss, user: '/(job-\\d+)/' }
    tools: [{ name: mcp__team__send_message, input: { to: coder, content: part of $1 } }]
  - when: { agent: boss, tool_result: { text: /accepted/ } }
    text: Asked.
  - when: { agent: coder, peer: '/part of (\\w+-\\d+)/' }
    text: result of $1
    delay_ms: 500
  - when: { agent: boss, peer: '/result of (\\w+-\\d+)/' }
    text: Done with $1.
default: { text: Very well. }
`;

const isStopped = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.startsWith("T") === true;

const copies = (words: string, part: string): number => words.split(part).length - 1;

/** The newest conversation of an agent. */
const wordsOf = async (stage: TeamStage, agent: string): Promise<string> =>
  JSON.stringify((await stage.requests(agent)).at(-1)?.body?.messages);

/** What is to be seen of a message to somebody who is stopped, once everybody else has done their part. */
async function seenOf(run: TeamRun, job: string) {
  const { message, seq } = await run.until("message_sent", {
    fits: (event) => event.message.content === `part of ${job}`,
  });
  await run.until("turn_ended", { fits: (event) => event.agent === "boss" && event.seq > seq });
  await using client = await run.connect();
  const steps = run.told.flatMap((event) =>
    event.type === "message_moved" && event.id === message.id ? [event.step] : [],
  );
  return { inbox: client.init.agents.find(({ id }) => id === "coder")?.inbox, steps };
}

test("no message is lost when the host, the CLI or the team is stopped for a while, or compacts", async () => {
  const stage = new TeamStage(team, script);
  const crew = new Crew(stage);
  const run = await stage.up({ ready: ["boss", "coder"] });
  const stop = async (victim: Victim): Promise<() => void> => {
    const { struck } = crew.pidsOf(run, victim);
    const signal = (name: NodeJS.Signals): void =>
      struck.forEach((pid) => void process.kill(pid, name));
    signal("SIGSTOP");
    await expect.poll(() => struck.every(isStopped)).toBe(true);
    return () => signal("SIGCONT");
  };

  const goHost = await stop("coder host");
  const first = run.ask("job-1 please");
  expect(await seenOf(run, "job-1")).toEqual({ inbox: 1, steps: [] });
  goHost();
  expect(await first).toBe("Done with job-1.");

  const goCli = await stop("coder cli");
  const second = run.ask("job-2 please");
  await expect.poll(() => seenOf(run, "job-2")).toEqual({ inbox: 1, steps: ["pushed"] });
  goCli();
  expect(await second).toBe("Done with job-2.");

  const goTeam = await stop("team");
  const third = run.ask("job-3 please");
  goTeam();
  expect(await third).toBe("Done with job-3.");

  // In the middle of the thread the lead's conversation is cut down to a summary.
  expect(await run.ask("long-4 please")).toBe("Done with long-4.");
  const journal = await stage.rehearsal.journal();
  expect(journal.filter(({ kind, agent }) => kind === "side" && agent === "boss")).toHaveLength(1);
  const words = await wordsOf(stage, "boss");
  expect(words).not.toContain("job-1 please");
  expect(copies(words, "result of long-4")).toBe(1);
  for (const job of ["job-1", "job-2", "job-3", "long-4"]) {
    expect(copies(await wordsOf(stage, "coder"), `part of ${job}`)).toBe(1);
  }
});
