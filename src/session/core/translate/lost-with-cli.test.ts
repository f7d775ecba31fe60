import { expect, test } from "vitest";
import { emptyState } from "../../../session-state/session-state.ts";
import { lostWithCli } from "./lost-with-cli.ts";

test("when a CLI is gone, its sub-agents, background tasks and MCP servers are, too; the tools' names stay", () => {
  const state = emptyState();
  expect(lostWithCli(state)).toEqual([]);
  const at = "2026-11-15T12:00:00.000Z";
  const started = {
    type: "subagent_started",
    request_id: "c1",
    background: true,
    seq: 1,
    at,
  } as const;
  state.subagents.set("c1", started);
  state.backgroundTasks = [{ task_id: "b1", kind: "local_bash", description: "serve" }];
  state.mcpServers = [
    { name: "team", status: "connected", tools: ["send_message"] },
    { name: "db", status: "failed", error: "exit 1", error_type: "BridgeStartupError" },
  ];
  const servers = [
    { name: "team", status: "pending", tools: ["send_message"] },
    { name: "db", status: "pending" },
  ] as const;
  expect(lostWithCli(state)).toEqual([
    { type: "subagent_ended", request_id: "c1", outcome: "stopped" },
    { type: "background_tasks", tasks: [] },
    { type: "mcp_status", servers },
  ]);
  // What is not known anyway need not be told.
  expect(
    lostWithCli({
      ...emptyState(),
      mcpServers: servers.map((each) => ({ name: each.name, status: each.status })),
    }),
  ).toEqual([]);
});
