import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import type { ScriptFunction } from "../../src/rehearsal/play-script.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import type { AgentSocket } from "../support/agent-socket-process.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import type { Line, SessionLineClient } from "../support/session-line-client.ts";

const RESET_S = 4;

/** The limit ends each turn that a person begins; with the message of the reset the model goes on. */
const script: ScriptFunction = ({ newUserTexts }) => {
  const isNew = (words: string): boolean => newUserTexts.some((text) => text.includes(words));
  if (isNew("Go on with what you were doing"))
    return { text: "I go on. ".repeat(30), delta_delay_ms: 20 };
  if (isNew("hello")) return { text: "I am here." };
  if (isNew("PROBE")) return { fault: { kind: "usage_limit", resets_in_s: RESET_S } };
  return { text: "I am here." };
};

async function stage() {
  const rehearsal = await startRehearsal({ script });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const account = rehearsalEnvironment(rehearsal.url, { account: "subscription" });
  const env = { ...account, CLAUDE_CONFIG_DIR: home.root };
  const start = (...flags: string[]): AgentSocket =>
    startAgentSocket(home, ["--cwd", home.cwd, "--continue-at-reset", ...flags], env);
  return { start };
}

const ids = ({ messages }: Line): string[] => messages as string[];

/** Everything that ever happened in the session, to a client that begins anew. */
async function history(client: SessionLineClient): Promise<Line[]> {
  client.send({ type: "attach", since: 0 });
  await client.until("attached");
  const { events } = await client.ask({ type: "history", limit: 1000, whole: true });
  return events as Line[];
}

/** The moments at which the host is killed. */
const moments = [
  "continuation_planned",
  "done",
  "user_message",
  "turn_started",
  "text_delta",
] as const;

test(
  "[SES-93] a session goes on by itself at the reset of the limit, once, whenever its host is killed",
  { timeout: 240_000 },
  async () => {
    await Promise.all(
      moments.map(async (moment) => {
        const { start } = await stage();
        const first = start();
        const { session_id } = await first.ready;
        const one = await first.connect();
        one.send({ type: "message", id: "m1", text: "PROBE" });
        const planned = await one.until("continuation_planned");
        const from = moment === "continuation_planned" ? 0 : one.told.indexOf(planned);
        await one.until(moment, { since: from });
        await first.end("SIGKILL");

        const second = start("--resume", session_id);
        const two = await second.connect();
        two.send({ type: "attach", since: 0, client: "two" });
        await two.until("done", { fits: (done) => ids(done).includes("m1") });
        const events = await history(two);
        const due = Date.parse(planned["due"]);
        const messages = events.filter(({ type }) => type === "user_message");
        expect(messages.map(({ id }) => id)).toEqual(["m1", planned["id"]]);
        expect(Date.parse(messages[1]?.["at"] as string)).toBeGreaterThanOrEqual(due);
        const ends = events.filter((event) => event.type === "done" && ids(event).includes("m1"));
        expect(ends).toMatchObject([{ stop_reason: "completed", messages: ["m1", planned["id"]] }]);
        const status = await two.ask({ type: "status" });
        expect(status).toMatchObject({ state: "idle" });
        expect(status["continuation"]).toBeUndefined();
        await second.end("SIGTERM");
      }),
    );
  },
);

test(
  "[SES-94] what a client cancels does not go on, and its message has failed",
  { timeout: 120_000 },
  async () => {
    const { start } = await stage();
    const host = start();
    const client = await host.connect();
    client.send({ type: "attach", since: 0, client: "ada" });
    await client.until("attached");
    client.send({ type: "message", id: "m1", text: "PROBE" });
    const planned = await client.until("continuation_planned");
    await client.until("done");
    const { continuation } = await client.ask({ type: "status" });
    expect(continuation).toEqual({ due: planned["due"], messages: ["m1"], id: planned["id"] });
    expect(await client.ask({ type: "abort" })).toMatchObject({ type: "ok" });
    expect(await client.until("continuation_canceled")).toMatchObject({ by: "ada" });
    await client.until("done", { fits: (done) => ids(done).includes("m1") });
    await expect
      .poll(() => Date.now(), { timeout: 10_000 })
      .toBeGreaterThan(Date.parse(planned["due"]) + 1_000);
    client.send({ type: "message", id: "m2", text: "hello" });
    await client.until("done", { fits: (done) => ids(done).includes("m2") });
    const sent = client.events.filter(({ type }) => type === "user_message");
    expect(sent.map(({ id }) => id)).toEqual(["m1", "m2"]);
    await host.end("SIGTERM");
  },
);
