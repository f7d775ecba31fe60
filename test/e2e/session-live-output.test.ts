import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { rehearsalEnvironment } from "../../src/rehearsal/rehearsal-environment.ts";
import { startRehearsal } from "../../src/rehearsal/start-rehearsal.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import type { Line } from "../support/session-line-client.ts";

/** Prints, and goes on when the test has made a file. */
const stepwise = (name: string): string =>
  `echo ${name} one; until [ -e ${name}1 ]; do sleep 0.1; done; echo ${name} two; ` +
  `until [ -e ${name}2 ]; do sleep 0.1; done; echo ${name} three`;

const script = {
  rules: [
    { when: { tool_result: "Bash" }, text: "It is done." },
    {
      when: { user: "wait" },
      tools: [{ name: "Bash", input: { command: stepwise("front") } }],
    },
    {
      when: { user: "serve" },
      tools: [{ name: "Bash", input: { command: stepwise("back"), run_in_background: true } }],
    },
  ],
  default: { text: "I see." },
};

test("[SES-49] the output of a command is sent while it runs, in the foreground and in the background", async () => {
  const rehearsal = await startRehearsal({ script });
  onTestFinished(() => rehearsal.close());
  const home = newHome();
  const env = {
    ...rehearsalEnvironment(rehearsal.url),
    CLAUDE_CONFIG_DIR: home.root,
    TMPDIR: home.root,
  };
  const host = startAgentSocket(home, ["--cwd", home.cwd, "--allowed-tools", "Bash"], env);
  const client = await host.connect();
  const go = (step: string): void => writeFileSync(join(home.cwd, step), "");
  const outputOf = (id: unknown): Line[] =>
    client.events.filter(
      ({ type, request_id }) => type === "tool_output_delta" && request_id === id,
    );
  const textOf = (id: unknown): string =>
    outputOf(id)
      .map(({ text }) => String(text))
      .join("");
  const hasTold = (text: string): Promise<Line> =>
    client.until("tool_output_delta", { fits: (line) => String(line["text"]).includes(text) });

  client.send({ type: "message", text: "wait", id: "front" });
  const call = await client.until("tool_use");
  await hasTold("front one");
  expect(client.told.some(({ type }) => type === "tool_result")).toBe(false);
  go("front1");
  await hasTold("front two");
  expect(client.told.some(({ type }) => type === "tool_result")).toBe(false);
  go("front2");
  const done = await client.until("done");
  const front = call["request_id"];
  expect(textOf(front)).toBe("front one\nfront two\nfront three\n");
  expect(outputOf(front).map(({ turn_id }) => turn_id)).toContain(done["turn_id"]);
  const result = client.events.find(({ type }) => type === "tool_result");
  expect(outputOf(front).every(({ seq = 0 }) => seq < (result?.seq ?? 0))).toBe(true);

  const since = client.told.length;
  client.send({ type: "message", text: "serve", id: "back" });
  const { request_id: back } = await client.until("tool_use", { since });
  await client.until("done", { since });
  go("back1");
  await hasTold("back two");
  go("back2");
  await client.until("tool_output_delta", { since, fits: ({ ended }) => ended === true });
  expect(textOf(back)).toMatch(/^back one\nback two\nback three\n/);
  // The turn in which it was started is over, and what it prints opens no other.
  const beside = outputOf(back).filter(({ turn_id }) => turn_id === undefined);
  expect(beside.length).toBeGreaterThan(0);
  await host.end("SIGTERM");
});
