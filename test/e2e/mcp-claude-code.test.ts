import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { ElicitationRequest, SDKMessage } from "@anthropic-ai/claude-agent-sdk";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import type { Stage } from "../support/rehearsed.ts";
import { setStage } from "../support/rehearsed.ts";
import { TeamStage, roleRule } from "../support/team-stage.ts";

// The real Claude Code is the client of a rehearsed team, through the plugin that comes with the package.

const run = promisify(execFile);
const plugin = resolve(import.meta.dirname, "../../claude-plugin");
const ASK_TEAM = "mcp__plugin_switchboard_team__ask_team";

const team = `
name: writers
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

const teamScript = `
rules:${roleRule}
  - when: { agent: boss, user: "write it" }
    tools: [{ name: Bash, input: { command: "echo milk >> note.txt" } }]
  - when: { agent: boss, tool_result: { text: "/Too (?<what>\\\\w+)/" } }
    text: "You said that it is too \${what}."
  - when: { agent: boss, tool_result: Bash }
    text: "The note is written."
default: { text: UNEXPECTED }
`;

/** Claude Code as its person has it: with its own model, which is a script too. */
async function caller(): Promise<{ stage: TeamStage; person: Stage; env: Record<string, string> }> {
  const stage = new TeamStage(team, teamScript);
  await stage.up({ ready: ["boss"] });
  const person = await setStage({
    rules: [
      {
        when: { user: "/task (\\w+)/" },
        tools: [{ name: ASK_TEAM, input: { text: "write it", id: "$1" } }],
      },
      { when: { tool_result: { text: "/(The note is written|too dear)/" } }, text: "They say: $1" },
    ],
    default: { text: "UNEXPECTED" },
  });
  const env = {
    ...person.env,
    // The plugin starts `node`; the machine's own may be old.
    PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
    SWITCHBOARD_TEAM: stage.stateDir,
    XDG_STATE_HOME: join(stage.root, "xdg"),
  };
  return { stage, person, env };
}

test(
  "Claude Code gives a team a task through the plugin, and its person allows and denies what an agent wants in forms",
  { timeout: 180_000 },
  async () => {
    const { stage, person, env } = await caller();
    const forms: ElicitationRequest[] = [];
    const filled = [{ decision: "once" }, { decision: "deny", reason: "Too dear." }];
    const say = async (prompt: string): Promise<SDKMessage[]> => {
      const told: SDKMessage[] = [];
      const talk = query({
        prompt,
        options: {
          cwd: person.cwd,
          env,
          settingSources: [],
          plugins: [{ type: "local", path: plugin }],
          allowedTools: [ASK_TEAM],
          onElicitation: async (request) => {
            forms.push(request);
            return { action: "accept", content: filled[forms.length - 1] };
          },
        },
      });
      for await (const message of talk) told.push(message);
      return told;
    };

    const told = await say("task one");
    expect(told.find(({ type }) => type === "system")).toMatchObject({
      mcp_servers: expect.arrayContaining([
        expect.objectContaining({ name: "plugin:switchboard:team", status: "connected" }),
      ]),
      slash_commands: expect.arrayContaining(["switchboard:team"]),
    });
    expect(told.at(-1)).toMatchObject({ type: "result", result: "They say: The note is written" });
    expect(forms).toEqual([
      expect.objectContaining({
        mode: "form",
        message: expect.stringContaining("echo milk >> note.txt"),
        requestedSchema: expect.objectContaining({ required: ["decision"] }),
      }),
    ]);
    const note = join(stage.root, "note.txt");
    expect(readFileSync(note, "utf8")).toBe("milk\n");

    expect((await say("task two")).at(-1)).toMatchObject({ result: "They say: too dear" });
    expect(forms).toHaveLength(2);
    expect(readFileSync(note, "utf8")).toBe("milk\n");
    const decided = await stage.run("approvals", "--decided", "--state-dir", stage.stateDir);
    expect(decided.out).toMatch(/allowed[^]*denied|denied[^]*allowed/);
  },
);

test(
  "the plugin is installed with claude plugin, and its server starts from where Claude Code keeps it",
  { timeout: 120_000 },
  async () => {
    const { person, env } = await caller();
    const cli = locateCli();
    const claude = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await run(cli, args, { cwd: person.cwd, env, timeout: 60_000 });
      return stdout + stderr;
    };
    expect(await claude("plugin", "validate", plugin)).toMatch(/Validation passed/);
    await claude("plugin", "marketplace", "add", plugin);
    await claude("plugin", "install", "switchboard@agent-switchboard");
    expect(await claude("plugin", "list")).toMatch(/switchboard@agent-switchboard[^]*enabled/);
    expect(await claude("mcp", "list")).toMatch(/plugin:switchboard:team: .* ✔ Connected/);
  },
);

test("the plugin's server says what to install where there is no switchboard", async () => {
  const { cwd, env } = await setStage({ default: { text: "" } });
  const copy = join(cwd, "plugin");
  mkdirSync(copy);
  await run("cp", ["-r", `${plugin}/.`, copy]);
  const start = run(process.execPath, [join(copy, "start-mcp.mjs")], {
    cwd,
    env: { ...env, PATH: "/nowhere" },
  });
  await expect(start).rejects.toMatchObject({
    code: 69,
    stderr: expect.stringContaining("npm install -g agent-switchboard"),
  });
});

const manifest = (path: string) =>
  JSON.parse(readFileSync(resolve(plugin, path), "utf8")) as { version: string; files: string[] };

test("the plugin has the version of the package, and is shipped with it", () => {
  expect(manifest(".claude-plugin/plugin.json").version).toBe(manifest("../package.json").version);
  expect(manifest("../package.json").files).toContain("claude-plugin");
});
