import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test, vi } from "vitest";
import type { ScriptInput } from "../../src/rehearsal/script-schema.ts";
import type { PolicyRule } from "../../src/wire/policy-rule.ts";
import { Conversation } from "../support/conversation.ts";
import { lateCli } from "../support/late-cli.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { modelRequests } from "../support/requests.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const policy: PolicyRule[] = [
  { tool: "Read", match: "*secret*", action: "deny", reason: "Secrets stay closed." },
  { tool: "Bash", match: "cat*", action: "deny" },
  { tool: "Bash", match: "ls*", action: "ask" },
  { tool: "Bash", match: "rm*", action: "deny" },
  { tool: "Write", action: "deny" },
  { tool: "Bash", match: "*git*push*--force*origin*", action: "deny" },
];

const subAgent = {
  name: "Agent",
  input: {
    description: "look",
    prompt: "read the secret",
    subagent_type: "general-purpose",
    run_in_background: false,
  },
};

/** The model makes the call that it is told to make, and then says what came of it. */
const scriptIn = (cwd: string): ScriptInput => ({
  rules: [
    { when: { tool_result: "/./" }, text: "It gave: ${tool_result}" },
    {
      when: { user: "read the secret" },
      tools: [{ name: "Read", input: { file_path: join(cwd, "secret.txt") } }],
    },
    {
      when: { user: "read the plan" },
      tools: [{ name: "Read", input: { file_path: join(cwd, "plan.txt") } }],
    },
    {
      when: { user: "/^run (?<command>.*)/" },
      tools: [{ name: "Bash", input: { command: "${command}" } }],
    },
    {
      when: { user: "write" },
      tools: [{ name: "Write", input: { file_path: join(cwd, "new.txt"), content: "x" } }],
    },
    { when: { user: "delegate" }, tools: [subAgent] },
  ],
});

async function stageWithFiles(script = scriptIn): Promise<Stage> {
  const stage = await setStage(script);
  for (const name of ["secret.txt", "plan.txt", "a.txt"]) {
    writeFileSync(join(stage.cwd, name), `CONTENT OF ${name}`);
  }
  return stage;
}

/** Everything that could make Claude Code run a call unasked. */
const unasked = {
  allowedTools: ["Bash", "Read"],
  settings: { permissions: { allow: ["Read", "Write", "Bash"] }, disableAllHooks: true },
  env: { IS_SANDBOX: "1" },
};

const denied = (rule: string, said = "does not allow this call") => ({
  rule,
  outcome: "denied",
  said: expect.stringContaining(said) as string,
});

/** How long the next CLI hears nothing. */
const UNHEARD_MS = 8_000;

describe.each(["acceptEdits", "bypassPermissions"] as const)("in the mode %s", (permissionMode) => {
  test("[SES-56] a policy decides before calls that Claude Code would run unasked, and leaves alone what no rule fits", async () => {
    const stage = await stageWithFiles();
    const talk = await Conversation.start(stage, { ...unasked, permissionMode, policy });
    const outcomeOf = async (words: string) => {
      const since = talk.told.length;
      const { turn_id } = await talk.ask(words);
      const [resolved] = talk.all("approval_resolved", since);
      return { said: talk.textOf(turn_id), rule: resolved?.rule, outcome: resolved?.outcome };
    };
    expect(await outcomeOf("read the secret")).toEqual(
      denied("1: deny Read(*secret*)", "Secrets stay closed."),
    );
    expect(await outcomeOf("run cat secret.txt")).toEqual(denied("2: deny Bash(cat*)"));
    expect(await outcomeOf("run rm -f a.txt")).toEqual(denied("4: deny Bash(rm*)"));
    expect(existsSync(join(stage.cwd, "a.txt"))).toBe(true);
    expect(await outcomeOf("write")).toEqual(denied("5: deny Write"));
    expect(existsSync(join(stage.cwd, "new.txt"))).toBe(false);
    const sub = await outcomeOf("delegate");
    expect(sub).toMatchObject({ rule: "1: deny Read(*secret*)", outcome: "denied" });

    // About this one a person is asked, and hears why.
    const id = await talk.say("run ls");
    const asked = await talk.until("approval_request", {
      fits: ({ policy: verdict }) => verdict?.action === "ask",
    });
    expect(asked).toMatchObject({
      reason: expect.stringContaining("3: ask Bash(ls*)"),
      scopes: [{ scope: "once" }],
    });
    await talk.send({ type: "approve", request_id: asked.request_id }, "ann");
    const { turn_id } = await talk.endOf(id);
    expect(talk.textOf(turn_id)).toContain("plan.txt");
    expect(talk.all("approval_resolved").at(-1)).toMatchObject({ outcome: "allowed", by: "ann" });

    const since = talk.told.length;
    const { turn_id: free } = await talk.ask("read the plan");
    expect(talk.textOf(free)).toContain("CONTENT OF plan.txt");
    expect(talk.all("approval_request", since)).toEqual([]);
    expect(JSON.stringify(modelRequests(stage))).not.toContain("CONTENT OF secret.txt");
  });
});

test("[SES-56] a policy applies in a turn that a killed CLI left, also when the next CLI gets it late", async () => {
  const stage = await stageWithFiles((cwd) => ({
    rules: [
      { when: { tool_result: "/./" }, text: "It gave: ${tool_result}" },
      { when: { user: "go" }, text: "Never.", delay_ms: 60_000, times: 1 },
      { tools: [{ name: "Read", input: { file_path: join(cwd, "secret.txt") } }] },
    ],
  }));
  const gate = join(stage.configDir, "gate");
  writeFileSync(gate, "");
  const options = { ...unasked, policy, claudePath: lateCli(gate) };
  const talk = await Conversation.start(stage, options);
  const id = await talk.say("go");
  await vi.waitFor(() => expect(modelRequests(stage)).toHaveLength(1), 30_000);
  rmSync(gate);
  process.kill(cliPidOf(stage), "SIGKILL");
  // Time enough for a CLI that does not wait to go on with the turn.
  const goesOn = () => expect(modelRequests(stage).length).toBeGreaterThan(1);
  const ranAhead = await vi.waitFor(goesOn, UNHEARD_MS).then(
    () => true,
    () => false,
  );
  writeFileSync(gate, "");
  const { turn_id } = await talk.endOf(id);
  expect(ranAhead).toBe(false);
  expect(talk.all("notice").map(({ code }) => code)).toContain("cli_restarted");
  expect(talk.textOf(turn_id)).toContain("Secrets stay closed.");
  expect(talk.all("approval_resolved")).toMatchObject([{ rule: "1: deny Read(*secret*)" }]);
  expect(JSON.stringify(modelRequests(stage))).not.toContain("CONTENT OF secret.txt");
});

/** Far more than a pattern with four stars needs for it, far less than trying all ways to match it takes. */
const JUDGED_MS = 10_000;

test("[SES-56] a policy with several stars decides on a long command at once, and the session answers meanwhile", async () => {
  const stage = await stageWithFiles();
  const talk = await Conversation.start(stage, { ...unasked, policy });
  const lag = monitorEventLoopDelay();
  lag.enable();
  const long = `echo ${"git push --force ".repeat(200)}`;
  const { turn_id } = await talk.ask(`run ${long}`);
  lag.disable();
  expect(talk.textOf(turn_id)).toContain("git push --force");
  expect(talk.all("approval_resolved")).toEqual([]);
  const { turn_id: fitting } = await talk.ask(`run ${long}origin`);
  expect(talk.textOf(fitting)).toContain("does not allow this call");
  expect(lag.max / 1e6).toBeLessThan(JUDGED_MS);
});

test("[SES-56] a file that a person mentions with @ is read without asking the policy; one that an agent mentions is not read", async () => {
  const stage = await stageWithFiles(() => ({ rules: [{ text: "I am here." }] }));
  const talk = await Conversation.start(stage, { ...unasked, policy });
  const sent = () => JSON.stringify(modelRequests(stage));
  await talk.endOf(await talk.say("look at @secret.txt", { from: "coder" }));
  expect(sent()).toContain("@secret.txt");
  expect(sent()).not.toContain("CONTENT OF secret.txt");
  await talk.endOf(await talk.say("look at @secret.txt"));
  expect(sent()).toContain("CONTENT OF secret.txt");
});
