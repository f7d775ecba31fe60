import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import type { TeamStatus } from "../../src/wire/team/control-methods.ts";
import { TeamStage } from "../support/team-stage.ts";

const example = resolve(import.meta.dirname, "../../examples/team-with-tools");
const read = (name: string): string => readFileSync(join(example, name), "utf8");

/** The example, in a directory of its own; the environment of the team has a key for its server. */
function setExample(team = read("team.yaml")): TeamStage {
  process.env["SHOP_CURRENCY"] = "crowns";
  onTestFinished(() => void delete process.env["SHOP_CURRENCY"]);
  const stage = new TeamStage(team, read("script.yaml"));
  for (const file of ["my-tools.js", "shop.js"]) {
    cpSync(join(example, file), join(stage.root, file));
  }
  mkdirSync(stage.work);
  return stage;
}

const toolProcesses = (stage: TeamStage): number[] =>
  stage
    .processes()
    .filter(({ command }) => command.includes(" tools ") && command.includes("my-tools.js"))
    .map(({ pid }) => pid);

test(
  "an agent calls functions and MCP tools, a policy denies one by name, and killed functions come back",
  { timeout: 240_000 },
  async () => {
    const stage = setExample();
    const run = await stage.up({ ready: ["buyer"] });

    expect(await run.ask("Buy me a plum")).toBe("I did not buy it: Ask me before you buy.");
    const said = (): string[] =>
      run.told.flatMap((event) =>
        event.type === "tool_ended" ? [`${event.is_error ? "error " : ""}${event.summary}`] : [],
      );
    await expect.poll(said).toHaveLength(3);
    expect(said()).toEqual([
      "price plum: 3 crowns",
      '{"total":3}',
      expect.stringContaining("error "),
    ]);

    // The value of the variable is in no argument, and in a file that only its owner can read.
    const { mcpConfig } = pathsOfAgent(stage.stateDir, "buyer");
    expect(readFileSync(mcpConfig, "utf8")).toContain("crowns");
    expect(statSync(mcpConfig).mode & 0o077).toBe(0);
    expect(stage.processes().filter(({ command }) => command.includes("crowns"))).toEqual([]);

    // One process serves the file. Killed, it is told and started again, and the session's next call reaches it.
    const [first, ...others] = toolProcesses(stage);
    expect(others).toEqual([]);
    process.kill(first!, "SIGKILL");
    const { message } = await run.until("notice", {
      fits: (event) => event.message.startsWith("The functions of"),
    });
    expect(message).toContain("my-tools.js ended with SIGKILL. They are started again.");
    await run.until("notice", {
      fits: (event) => event.message.endsWith("my-tools.js run again."),
    });
    expect(await run.ask("Buy it again")).toBe("I did not buy it: Ask me before you buy.");
    await expect.poll(said).toHaveLength(6);
    expect(said()[4]).toBe('{"total":3}');

    const status = await stage.run("status", "--state-dir", stage.stateDir);
    expect(status.out).toContain("buyer's MCP server my-tools: connected, 1 tools");
    expect(status.out).toContain("buyer's MCP server shop: connected, 2 tools");
    const { out } = await stage.run("status", "--json", "--state-dir", stage.stateDir);
    const [buyer] = (JSON.parse(out) as TeamStatus).agents;
    expect(buyer?.mcp_servers?.map(({ name }) => name).toSorted()).toEqual(["my-tools", "shop"]);

    await run.end();
    expect([toolProcesses(stage), stage.sockets()]).toEqual([[], []]);
  },
);

test("an MCP server that does not start is reported, and its agent works without it", async () => {
  const stage = setExample(read("team.yaml").replace("command: node", "command: no-such-program"));
  const run = await stage.up({ ready: ["buyer"] });
  const { message } = await run.until("notice", {
    fits: (event) => event.message.includes("MCP server shop"),
  });
  expect(message).toContain("The MCP server shop did not start");
  const status = await stage.run("status", "--state-dir", stage.stateDir);
  expect(status.out).toContain("buyer's MCP server shop: failed");
});

test("a file of functions with a mistake ends `up` with its file, line, column and hint", async () => {
  const stage = setExample();
  const file = join(stage.root, "my-tools.js");
  writeFileSync(file, readFileSync(file, "utf8").replace("add_to_total", "add to total"));
  const place = ["--rehearsal", stage.scriptFile, "--state-dir", stage.stateDir];
  const { code, err } = await stage.run("up", stage.teamFile, ...place);
  expect(err).toContain(
    `The tools of buyer: ${file}:6:27: "add to total" cannot be the name of a tool.`,
  );
  expect(err).toContain("Use 1 to 60 letters");
  expect(code).toBe(65);
  expect(stage.processes()).toEqual([]);
});
