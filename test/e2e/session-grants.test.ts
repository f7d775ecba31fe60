import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Conversation } from "../support/conversation.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { leaveMark, timesRun } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";
import { tempDir } from "../support/temp-dir.ts";

const mark = (name: string) => `python3 -c "open('${name}', 'a').write('ran'), Bash, (1)"`;

const stageOf = (command: string): Promise<Stage> =>
  setStage({
    rules: [
      { when: { tool_result: { is_error: true } }, text: "Then not." },
      { when: { tool_result: "Bash" }, text: "It is done." },
      {
        when: { user: "other, then mark" },
        tools: [leaveMark("other"), { name: "Bash", input: { command } }],
        times: 1,
      },
      { when: { user: "mark" }, tools: [{ name: "Bash", input: { command } }] },
      { when: { user: "other" }, tools: [leaveMark("other")] },
      { text: "I am here." },
    ],
  });

async function grant(talk: Conversation, scope: "session" | "always", by?: string): Promise<void> {
  const since = talk.told.length;
  const id = await talk.say("mark");
  const { request_id } = await talk.until("approval_request", { since });
  await talk.send({ type: "approve", request_id, scope }, by);
  await talk.endOf(id);
}

async function killCli(talk: Conversation, stage: Stage): Promise<void> {
  const since = talk.told.length;
  process.kill(cliPidOf(stage), "SIGKILL");
  await talk.until("notice", { since, fits: ({ code }) => code === "cli_restarted" });
}

/** The granted call is not asked about, another one is. */
async function expectGranted(talk: Conversation, since = talk.told.length): Promise<void> {
  await talk.ask("mark");
  expect(talk.all("approval_request", since)).toEqual([]);
  const id = await talk.say("other");
  const { request_id } = await talk.until("approval_request", { since });
  await talk.send({ type: "deny", request_id });
  await talk.endOf(id);
}

test("a grant for a command with parentheses is as wide for the next CLI as it was, and no wider", async () => {
  const stage = await stageOf(mark("one"));
  const talk = await Conversation.start(stage);
  await grant(talk, "session");
  await killCli(talk, stage);
  await expectGranted(talk);
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage);
  await expectGranted(again);
  expect(timesRun(stage, "other")).toBe(0);
});

test("a grant with scope always applies to the next CLI, though that does not read its settings file", async () => {
  const stage = await stageOf("git init two");
  const talk = await Conversation.start(stage, { settingSources: [] });
  await grant(talk, "always");
  await killCli(talk, stage);
  await expectGranted(talk);
  expect(timesRun(stage, "other")).toBe(0);
});

const settingsOf = (stage: Stage): string => join(stage.cwd, ".claude", "settings.local.json");

/** The call is asked about; the answer is no. */
async function expectAsked(talk: Conversation): Promise<void> {
  const since = talk.told.length;
  const id = await talk.say("mark");
  const { request_id } = await talk.until("approval_request", { since });
  await talk.send({ type: "deny", request_id });
  await talk.endOf(id);
}

test("[SES-76] [SES-77] status lists a grant until it is revoked, also for the running CLI and after the death of CLI and host", async () => {
  const stage = await stageOf("git init two");
  const talk = await Conversation.start(stage);
  expect(talk.session.status()).not.toHaveProperty("grants");
  await grant(talk, "session", "ann");
  const [given] = talk.session.status().grants ?? [];
  expect(given).toMatchObject({ scope: "session", rule: "Bash(git init *)", by: "ann" });
  // A CLI that was started with the grant has it as another kind of rule.
  await killCli(talk, stage);
  await expectGranted(talk);

  const revoke = { type: "revoke", grant: given?.id ?? "" } as const;
  await talk.send(revoke, "bob");
  expect(talk.all("grant_revoked")).toMatchObject([
    { grant: given?.id, rule: "Bash(git init *)", by: "bob" },
  ]);
  expect(talk.session.status()).not.toHaveProperty("grants");
  await expectAsked(talk);
  // Twice is once.
  await talk.send(revoke, "bob");
  expect(talk.all("grant_revoked")).toHaveLength(1);
  await expect(talk.send({ type: "revoke", grant: "nothing" })).rejects.toMatchObject({
    code: "unknown_request",
  });

  await killCli(talk, stage);
  await expectAsked(talk);
  // The next CLI offers the grant again.
  await grant(talk, "session");
  expect(talk.session.status().grants).toHaveLength(1);
  await talk.send({ ...revoke, grant: talk.session.status().grants?.[0]?.id ?? "" });
  await talk.session.close("shutdown");
  const again = await Conversation.start(stage);
  expect(again.session.status()).not.toHaveProperty("grants");
  await expectAsked(again);
});

test("[SES-77] revoke takes a grant for always out of the settings, while the turn that uses it runs", async () => {
  const stage = await stageOf("git init two");
  const other = "Bash(make other)";
  mkdirSync(join(stage.cwd, ".claude"));
  writeFileSync(settingsOf(stage), JSON.stringify({ permissions: { allow: [other] } }));
  const options = { settingSources: ["local" as const] };
  const talk = await Conversation.start(stage, options);
  await grant(talk, "always");
  const [given] = talk.session.status().grants ?? [];
  expect(given).toMatchObject({ scope: "always", file: settingsOf(stage) });
  expect(readFileSync(settingsOf(stage), "utf8")).toContain("git init");

  // A call of the turn is pending while the grant is taken back; the next call of the same turn is asked about.
  const since = talk.told.length;
  const id = await talk.say("other, then mark");
  const first = await talk.until("approval_request", { since });
  await talk.send({ type: "revoke", grant: given?.id ?? "" });
  expect(JSON.parse(readFileSync(settingsOf(stage), "utf8"))).toEqual({
    permissions: { allow: [other] },
  });
  const next = talk.told.length;
  await talk.send({ type: "approve", request_id: first.request_id });
  const second = await talk.until("approval_request", { since: next });
  expect(second.input).toEqual({ command: "git init two" });
  await talk.send({ type: "deny", request_id: second.request_id });
  await talk.endOf(id);
  await talk.session.close("shutdown");

  const again = await Conversation.start(stage, { ...options, logName: "another-log" });
  await expectAsked(again);
});

test("[SES-77] a revoked directory is asked about again, in files and in commands", async () => {
  const outside = tempDir();
  writeFileSync(join(outside, "a.txt"), "hello");
  const stage = await setStage({
    rules: [
      { when: { tool_result: { is_error: true } }, text: "Then not." },
      { when: { tool_result: { text: "/./" } }, text: "It is done." },
      {
        when: { user: "write" },
        tools: [{ name: "Write", input: { file_path: join(outside, "b.txt"), content: "x" } }],
      },
      {
        when: { user: "show" },
        tools: [{ name: "Bash", input: { command: `cat ${outside}/a.txt` } }],
      },
    ],
  });
  const talk = await Conversation.start(stage);
  const id = await talk.say("write");
  const { request_id } = await talk.until("approval_request");
  await talk.send({ type: "approve", request_id, scope: "session" });
  await talk.endOf(id);
  await talk.ask("show");
  expect(talk.all("approval_request")).toHaveLength(1);
  expect(talk.session.status().grants).toMatchObject([{ id: request_id, rule: outside }]);
  await talk.send({ type: "revoke", grant: request_id });
  for (const text of ["write", "show"]) {
    const since = talk.told.length;
    const asked = await talk.say(text);
    const request = await talk.until("approval_request", { since });
    await talk.send({ type: "deny", request_id: request.request_id });
    await talk.endOf(asked);
  }
});
