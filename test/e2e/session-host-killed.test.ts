import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import type { ScriptFunction } from "../../src/rehearsal/play-script.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { AgentSocket } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { conversationOf, copiesInLast, leaveMark, timesRun } from "../support/requests.ts";
import type { Line, SessionLineClient } from "../support/session-line-client.ts";

/** Repeats a call that was taken back, but not one that may have run. */
const script: ScriptFunction = ({ body, newUserTexts, newToolResults }) => {
  const isNew = (words: string): boolean => newUserTexts.some((text) => text.includes(words));
  if (newToolResults.length > 0) return { text: "It is done." };
  if (isNew("grant")) {
    return { tools: [{ name: "Bash", input: { command: "git init granted" } }] };
  }
  const said = JSON.stringify(body.messages);
  const isToMark = said.includes("mark PROBE-3.") && !said.includes("outcome is unknown");
  return isToMark ? { tools: [leaveMark("one", "sleep 30")] } : { text: "I am here." };
};

/** One session on the built program, through as many hosts as it takes. */
async function stage() {
  const rehearsal = await startRehearsal({ script });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const env = { ...rehearsalEnvironment(rehearsal.url), CLAUDE_CONFIG_DIR: home.root };
  const start = (...flags: string[]): AgentSocket =>
    startAgentSocket(home, ["--cwd", home.cwd, ...flags], env);
  return { start, cwd: home.cwd, configDir: home.root, rehearsal, env };
}

const endOf = (client: SessionLineClient, id: string): Promise<Line> =>
  client.until("done", { fits: ({ messages }) => (messages as string[]).includes(id) });

/** Kills the host in the moment in which the client hears of such an event. */
async function killOn(host: AgentSocket, client: SessionLineClient, type: string): Promise<Line> {
  const event = await client.until(type, { since: client.told.length });
  expect(await host.end("SIGKILL")).toMatchObject({ signal: "SIGKILL" });
  return event;
}

test("a host killed with an open request, and again at its answer, keeps message, grant, cost and call", async () => {
  const scene = await stage();
  const first = scene.start();
  const { session_id } = await first.ready;
  const one = await first.connect();

  // Only this message, and only once, however often it is sent.
  one.send(
    ...Array.from({ length: 1000 }, () => ({ type: "message", id: "m1", text: "PROBE-1." })),
  );
  const { cost_usd: cost } = await endOf(one, "m1");
  one.send({ type: "message", id: "m2", text: "grant" });
  const grant = await one.until("approval_request");
  one.send({ type: "approve", request_id: grant["request_id"], scope: "session" });
  const granted = await endOf(one, "m2");

  one.send({ type: "message", id: "m3", text: "mark PROBE-3." });
  const asked = await killOn(first, one, "approval_request");
  expect(one.events.filter(({ type }) => type === "user_message")).toHaveLength(3);

  const second = scene.start("--resume", session_id);
  const two = await second.connect();
  const spent = (cost as number) + (granted["cost_usd"] as number);
  expect(two.told[0]?.["cost_usd"]).toBeCloseTo(spent, 10);
  // Asked again, as itself or in another's place: it is not forgotten, and has not run.
  const again = await two.until("approval_request");
  expect([again["request_id"], again["replaces"]]).toContain(asked["request_id"]);
  expect(timesRun(scene, "one")).toBe(0);
  two.send({ type: "approve", request_id: again["request_id"] });
  await killOn(second, two, "approval_resolved");

  const third = scene.start("--resume", session_id);
  const three = await third.connect();
  three.send({ type: "attach", since: 0 });
  // It may have run; the model is told so, and only the model can want it once more.
  expect(await endOf(three, "m3")).toMatchObject({ stop_reason: "completed" });
  expect(timesRun(scene, "one")).toBeLessThanOrEqual(1);
  three.send({ type: "message", id: "m4", text: "grant" });
  await endOf(three, "m4");
  const last = conversationOf(
    scene.rehearsal.journal.entries.findLast(({ kind }) => kind === "main"),
  );
  expect(last).toContain("was started, its outcome is unknown");
  expect([copiesInLast(scene, "PROBE-1."), copiesInLast(scene, "PROBE-3.")]).toEqual([1, 1]);

  const all = (type: string): Line[] => three.events.filter((event) => event.type === type);
  // What was granted for the session is not asked again.
  const asks = all("approval_request").filter(({ replaces, again: once }) => !replaces && !once);
  expect(asks).toHaveLength(2);
  expect(all("turn_started").map(({ turn_id }) => turn_id)).toEqual(
    all("done").map(({ turn_id }) => turn_id),
  );
  expect(all("done").flatMap(({ messages }) => messages)).toEqual(["m1", "m2", "m3", "m4"]);
  expect(all("done").map(({ stop_reason }) => stop_reason)).toContain("host_lost");
  // Each turn has its own cost, also in a CLI that begins to count again.
  for (const done of all("done").filter(({ stop_reason }) => stop_reason === "completed")) {
    expect(done["cost_usd"]).toBeGreaterThan(0);
    expect(done["cost_usd"]).toBeLessThan((cost as number) * 5);
  }
  three.send({ type: "shutdown" });
  expect((await third.ended).code).toBe(0);
});
