import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { judgeCall } from "../../policy/judge-call.ts";
import { policyOf } from "../rules/policy-of-agent.ts";
import { loadTeam, parseTeam } from "./load-team.ts";
import { serverConfig } from "./fill-variables.ts";

const small = `
name: small
lead: boss
agents:
  boss: { description: leads, prompt: You lead. }
  coder: { description: codes, prompt: You code., may_message: [boss] }
`;

function complaint(text: string): string {
  try {
    parseTeam(text, "team.yaml", "/work");
  } catch (error) {
    if (error instanceof ClaudeCodeError) return `${error.code} ${error.message}`;
    throw error;
  }
  throw new Error("the file was accepted");
}

test("parseTeam fills in defaults for fields that the file leaves out", () => {
  const team = parseTeam(small, "team.yaml", "/work");
  expect(team).toMatchObject({
    lead: "boss",
    trust: false,
    confirmRoles: true,
    limits: {
      content_bytes: 1_048_576,
      thinking_bytes: 102_400,
      per_sender_per_minute: 60,
      per_pair_per_minute: 20,
      hops: 8,
      messages_per_root: 200,
      inline_bytes: 8192,
    },
    timeouts: {
      startMs: 30_000,
      sendMs: 10_000,
      receiveMs: 60_000,
      taskMs: 300_000,
      idleMs: 120_000,
      approvalMs: 300_000,
    },
  });
  expect(team.agents.get("boss")).toMatchObject({
    mayMessage: ["coder"],
    isolation: "config",
    permissionMode: "default",
    workdir: "/work",
  });
  expect(team.agents.get("coder")?.mayMessage).toEqual(["boss"]);
});

test.each([
  ["name: a\n  b: c", /^team_invalid team\.yaml:\d+:\d+: /],
  [
    small.replace("lead: boss", "lead: bos"),
    /team\.yaml:3:1: lead: There is no agent bos\. Did you mean boss\?/,
  ],
  [
    small.replace("[boss]", "[Boss]"),
    /:6:\d+: agents\.coder\.may_message\[0\]: There is no agent Boss\. Did you mean boss\?/,
  ],
  [
    small.replace("prompt: You lead.", "promt: x"),
    /:5:\d+: agents\.boss: Unknown field "promt"\. Did you mean prompt\? Known here: description, prompt/,
  ],
  [small.replace(", prompt: You lead.", ""), /:5:3: agents\.boss: An agent needs either prompt/],
  [`${small}limits: { hops: 0 }`, /limits\.hops: Too small/],
  [
    small.replace("  boss:", "  user:").replace("lead: boss", "lead: user"),
    /agents\.user: The name user is taken/,
  ],
  [
    small.replace("prompt: You code.", "prompt_file: nowhere.md"),
    /agents\.coder\.prompt_file: .*: there is no such file.*beside the team file/,
  ],
  [
    `${small}policy: [{ agents: [codre], action: allow }]`,
    /policy\[0\]\.agents\[0\]: There is no agent codre\. Did you mean coder\?/,
  ],
  [small.replace("  coder:", '  "..":'), /:6:3: agents\[".."\]: expected letters, digits, _ and -/],
  [small.replace("  coder:", '  "":'), /agents\[""\]: expected letters/],
  [small.replace("  coder:", `  ${"x".repeat(65)}:`), /:6:3: agents\.x+: expected .*at most 64/],
  [small.replace("  coder:", "  __proto__:"), /:6:3: The name __proto__ cannot be used/],
  [small.replace("name: small", "[name]: small"), /:2:1: A name is expected here/],
  [small.replace("description: codes, ", ""), /:6:3: agents\.coder\.description: It is missing\./],
  ["", /agents: It is missing\./],
  [`${small}---\nname: b`, /:7:1: A second document begins here/],
  [small.replace("lead: boss", "lead: !foo boss"), /:3:7: Unresolved tag: !foo/],
])("parseTeam reports a mistake with line and column (%#)", (text, expected) => {
  expect(complaint(text)).toMatch(expected);
});

test("parseTeam reports all mistakes of a file at once, also those between its parts", () => {
  const text = small
    .replace("[boss]", "[boss, z]")
    .replace("description: codes", "description: 7, worktree: perhaps");
  const said = complaint(text);
  expect(said).toContain("agents.coder.description: ");
  expect(said).toContain("agents.coder.worktree: ");
  expect(said).toMatch(/:6:\d+: agents\.coder\.may_message\[1\]: There is no agent z\./);
});

const withTools = (fields: string): string =>
  small.replace("prompt: You code.", `prompt: p, ${fields}`);

test("parseTeam takes an agent's tools as a list of files, or as files with allowed and denied tools", () => {
  const directory = tempDir();
  writeFileSync(join(directory, "my.tools.ts"), "");
  const coder = (fields: string) =>
    parseTeam(withTools(fields), join(directory, "team.yaml"), "/work").agents.get("coder");
  const toolFiles = [{ server: "my_tools", path: join(directory, "my.tools.ts") }];
  const none = { allowedTools: [], deniedTools: [] };
  expect(coder("tools: [my.tools.ts]")).toMatchObject({ toolFiles, ...none });
  expect(coder("tools: { files: [my.tools.ts] }")).toMatchObject({ toolFiles, ...none });
  expect(coder("tools: { allow: [Read], deny: [Bash] }")).toMatchObject({
    toolFiles: [],
    allowedTools: ["Read"],
    deniedTools: ["Bash"],
  });
});

test("variables have their values in the servers of a session, not in the team", () => {
  const text = withTools(
    'mcp: { shop: { command: node, env: { KEY: "${TEST_KEY:-}x" } }, web: { url: "http://h/${PATH}" } }',
  );
  const servers = parseTeam(text, "team.yaml", "/work").agents.get("coder")?.mcpServers ?? {};
  expect(servers["shop"]).toEqual({ command: "node", env: { KEY: "${TEST_KEY:-}x" } });
  const env = { TEST_KEY: "secret", PATH: "p" };
  expect(serverConfig(servers["shop"] ?? {}, env)).toEqual({
    type: "stdio",
    command: "node",
    args: [],
    env: { KEY: "secretx" },
  });
  expect(serverConfig(servers["shop"] ?? {}, {})).toMatchObject({ env: { KEY: "x" } });
  expect(serverConfig(servers["web"] ?? {}, env)).toEqual({
    type: "http",
    url: "http://h/p",
    headers: {},
  });
});

test.each([
  [
    "tools: [nowhere.ts]",
    /:6:51: agents\.coder\.tools\[0\]: .*\/nowhere\.ts: there is no such file/,
  ],
  ["tools: { files: [x.ts] }", /:6:60: agents\.coder\.tools\.files\[0\]: .*there is no such file/],
  ["tools: { alow: [Read] }", /agents\.coder\.tools: Unknown field "alow"\. Did you mean allow\?/],
  [
    "mcp: { team: { command: x } }",
    /agents\.coder\.mcp\.team: The server's name team is the team's own/,
  ],
  ["mcp: { a__b: { command: x } }", /agents\.coder\.mcp\.a__b: A server's name has 1 to 60/],
  ["mcp: { a: {} }", /agents\.coder\.mcp\.a: A server needs either command .* or url/],
  ["mcp: { a: { command: x, headers: {} } }", /mcp\.a: A server with command has args and env/],
  ["mcp: { a: { url: x, env: {} } }", /mcp\.a: A server with url has headers/],
  [
    'mcp: { a: { command: x, env: { K: "${NO_SUCH_KEY}" } } }',
    /agents\.coder\.mcp\.a\.env\.K: The environment has no variable NO_SUCH_KEY\./,
  ],
  [
    'mcp: { a: { command: x, args: ["--key", "${PATH}"] } }',
    /:6:\d+: agents\.coder\.mcp\.a\.args\[1\]: Variables may stand in env, headers and url/,
  ],
])("parseTeam reports a mistake about tools with line and column: %s", (fields, expected) => {
  expect(complaint(withTools(fields))).toMatch(expected);
});

test("loadTeam reads prompts from files beside the team file", async () => {
  const directory = tempDir();
  writeFileSync(join(directory, "coder.md"), "You code well.");
  const file = join(directory, "team.yaml");
  writeFileSync(file, small.replace("prompt: You code.", "prompt_file: coder.md"));
  expect((await loadTeam(file)).agents.get("coder")?.prompt).toBe("You code well.");
});

test("parseTeam reports directories and prompts that no agent could use, with line and column", async () => {
  const directory = tempDir();
  const file = join(directory, "team.yaml");
  writeFileSync(join(directory, "empty.md"), " \n");
  const complaints = async (agent: string): Promise<string> => {
    writeFileSync(file, small.replace("prompt: You code.", agent));
    return loadTeam(file, directory).then(
      () => "accepted",
      (error: ClaudeCodeError) => error.message.replaceAll(directory, "HERE"),
    );
  };
  expect(await complaints("prompt: p, workdir: nowhere")).toBe(
    "HERE/team.yaml:6:43: agents.coder.workdir: HERE/nowhere: there is no such directory. A relative path begins where you start the team.",
  );
  expect(await complaints("prompt: p, workdir: empty.md")).toBe(
    "HERE/team.yaml:6:43: agents.coder.workdir: HERE/empty.md: it is a file, not a directory.",
  );
  expect(await complaints("prompt: p, worktree: true")).toMatch(
    /^HERE\/team\.yaml:6:43: agents\.coder\.worktree: HERE is not in a git repository/,
  );
  expect(await complaints("prompt_file: empty.md")).toMatch(
    /^HERE\/team\.yaml:6:32: agents\.coder\.prompt_file: HERE\/empty\.md is empty\./,
  );
});

test("the starter team loads, and every limit and time-out that it shows is the default", async () => {
  const text = readFileSync("examples/teams/starter.yaml", "utf8");
  const shown = text.replaceAll(/^# (?=trust|confirm_roles|limits|timeouts| {2})/gm, "");
  const [starter, same] = [text, shown].map((each) => parseTeam(each, "starter.yaml", "/work"));
  expect(same).toEqual(starter);
  const raw = parse(shown) as Record<string, object>;
  expect(raw["limits"]).toEqual(starter?.limits);
  expect(Object.keys(raw["timeouts"] ?? {})).toHaveLength(
    Object.keys(starter?.timeouts ?? {}).length,
  );
  expect(raw).toMatchObject({ trust: false, confirm_roles: true });
});

test.each(["five-roles", "pair"])("the shipped team %s is sound", async (name) => {
  const team = await loadTeam(`examples/teams/${name}.yaml`);
  expect(team.name).toBe(name);
});

test.each(["starter", "five-roles", "pair"])(
  "the shipped team %s lets no agent write outside its working directory unasked",
  async (name) => {
    const { agents, policy } = await loadTeam(`examples/teams/${name}.yaml`);
    const writes = ["Write", "Edit"].flatMap((tool) =>
      ["/etc/profile", "/work/.git/hooks/pre-commit", "/work/../etc/cron.d/x"].map((file_path) => ({
        tool,
        input: { file_path },
      })),
    );
    const allowed = [...agents.keys()].flatMap((id) => {
      const rules = policyOf(policy, id, "/work");
      return writes.filter((call) => judgeCall(rules, call)?.action === "allow");
    });
    expect(agents.size).toBeGreaterThan(0);
    expect(allowed).toEqual([]);
  },
);

test("the shipped team five-roles lets its agents send messages along the hierarchy only", async () => {
  const { agents, lead } = await loadTeam("examples/teams/five-roles.yaml");
  const specialists = ["coding_specialist", "research_specialist", "testing_specialist"];
  expect(lead).toBe("grand_boss");
  expect(agents.get("grand_boss")?.mayMessage).toEqual(["middle_manager"]);
  expect(agents.get("middle_manager")?.mayMessage).toEqual(["grand_boss", ...specialists]);
  for (const id of specialists) expect(agents.get(id)?.mayMessage).toEqual(["middle_manager"]);
});

test("loadTeam reports a missing file in plain words", async () => {
  await expect(loadTeam("/nowhere/team.yaml")).rejects.toMatchObject({
    code: "team_invalid",
    message: "/nowhere/team.yaml: there is no such file.",
    hint: expect.stringContaining("switchboard init"),
  });
});

const warningsOf = (tools: string[], more = ""): readonly string[] => {
  const rules = tools.map((tool) => `  - { tool: "${tool}", action: deny }\n`).join("");
  const file = `name: t\nlead: a\npolicy:\n${rules}${more}agents:\n  a: { description: d, prompt: p, mcp: { weather: { command: x } } }\n`;
  return parseTeam(file, "team.yaml", "/work").warnings;
};

test("a policy's rule for a tool that no agent has is a warning with its place", () => {
  expect(warningsOf(["Bsh", "mcp__wether__get", "mcp__team__send", "Wirte*"])).toEqual([
    "team.yaml:4:7: policy[0].tool: No agent has a tool named Bsh, so this rule decides nothing. Did you mean Bash?",
    "team.yaml:5:7: policy[1].tool: No agent has a server named wether, so this rule decides nothing. Did you mean weather?",
    "team.yaml:6:7: policy[2].tool: No agent has a tool named mcp__team__send, so this rule decides nothing. Did you mean mcp__team__send_message?",
    "team.yaml:7:7: policy[3].tool: No agent has a tool named Wirte*, so this rule decides nothing.",
  ]);
  const fitting = [
    "*",
    "Bash",
    "Web*",
    "*Edit",
    "mcp__*",
    "mcp__weather__get",
    "mcp__weather*",
    "mcp__team__*",
  ];
  expect(warningsOf(fitting)).toEqual([]);
  expect(warningsOf(["mcp__other__get"], "trust: true\n")).toEqual([]);
});

test("loadTeam refuses a team file and a prompt file that are not UTF-8, with line and column", async () => {
  const directory = tempDir();
  const file = join(directory, "team.yaml");
  const [before, after] = small.split("codes") as [string, string];
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(`${before}ü`), Buffer.from([0xfc]), Buffer.from(after)]),
  );
  await expect(loadTeam(file, directory)).rejects.toMatchObject({
    code: "team_invalid",
    message: `${file}:6:26: This is not UTF-8.`,
    hint: "Save the team file as UTF-8.",
  });
  writeFileSync(file, small.replace("prompt: You code.", "prompt_file: coder.md"));
  const prompt = join(directory, "coder.md");
  writeFileSync(prompt, Buffer.from([0x61, 0x0a, 0xe4]));
  await expect(loadTeam(file, directory)).rejects.toThrow(
    `${file}:6:32: agents.coder.prompt_file: ${prompt}:2:1: This is not UTF-8. Save it as UTF-8.`,
  );
  // The character that stands for unreadable bytes is itself readable.
  writeFileSync(prompt, "ü\uFFFD");
  expect((await loadTeam(file, directory)).agents.get("coder")?.prompt).toContain("ü\uFFFD");
});
