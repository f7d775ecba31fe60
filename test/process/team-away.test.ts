import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { BridgeProcess, textOf } from "./fixtures/bridge-process.ts";

const yaml = `
lead: boss
timeouts: { linger: 45 }
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

/** The arguments with which the CLI of this agent starts its bridge. */
function bridgeArgs(team: FakeTeam, agent: string): string[] {
  const { mcpConfig } = pathsOfAgent(team.stateDir, agent);
  const config = JSON.parse(readFileSync(mcpConfig, "utf8")) as {
    mcpServers: { team: { args: string[] } };
  };
  return config.mcpServers.team.args.slice(1);
}

test("send_message waits for the next process of the team as long as the agent lingers, and sends once", async () => {
  const team = await FakeTeam.up(yaml, { boss: () => "heard" }, { withBridges: true });
  const args = bridgeArgs(team, "coder");
  expect(args.slice(2)).toEqual(["own", "45000"]);
  const bridge = new BridgeProcess(...args);
  await bridge.initialize();
  expect(textOf(await bridge.call("list_agents"))).toContain('"you":"coder"');

  await team.stop();
  const input = { to: "boss", content: "while you were away", type: "info" };
  const request_id = "toolu_away";
  const tool = "mcp__team__send_message";
  team.agent("coder").session.happen({ type: "tool_use", request_id, tool, input });
  const params = {
    name: "send_message",
    arguments: input,
    _meta: { "claudecode/toolUseId": request_id },
  };
  bridge.send({ id: "away", method: "tools/call", params });
  // The bridge is alive, and the call has no answer.
  expect((await bridge.request("ping")).result).toEqual({});
  expect(bridge.told.some(({ id }) => id === "away")).toBe(false);

  await team.start();
  expect(textOf(await bridge.answerTo("away"))).toContain('"status":"accepted"');
  // The timeline shows an event once it is on the disk, which may be later than the answer.
  await team.running.teamRecords.timeline.flushed();
  const sent = team.told.filter(
    (event) => event.type === "message_sent" && event.message.content === input.content,
  );
  expect(sent).toHaveLength(1);
});
