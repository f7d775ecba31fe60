import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { TeamClient } from "../team/core.ts";
import { PageLimitSchema } from "../wire/team/read-methods.ts";
import { TaskStateSchema } from "../wire/team/task.ts";
import { dataText, textResult } from "./data-text.ts";

export type TeamOf = (context: ServerContext) => Promise<TeamClient>;
export type Told = (work: () => Promise<CallToolResult>) => Promise<CallToolResult>;

const readOnly = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** `team_status` and `team_tasks`: they ask the team, and change nothing. */
export function addReadingTools(server: McpServer, teamOf: TeamOf, told: Told): void {
  server.registerTool(
    "team_status",
    {
      title: "Status of the team",
      description: "Says which agents the team has, what each of them does, and what waits.",
      annotations: readOnly,
    },
    (context) =>
      told(async () => {
        const team = await teamOf(context);
        const status = await team.request("status", {});
        const { approvals } = await team.request("approvals", {});
        const agents = status.agents.map((agent) => {
          const { id, state, reason, current, inbox } = agent;
          return { id, state, reason, current, inbox };
        });
        const { lead, rehearsal, open_tasks, dead_letters, open_notices, cost_usd } = status;
        const decisions_that_wait = approvals.map(
          ({ agent, request }) => `${agent}: ${request.request_id}`,
        );
        const facts = {
          lead,
          rehearsal,
          open_tasks,
          dead_letters,
          open_notices,
          cost_usd,
          agents,
          decisions_that_wait,
        };
        return textResult(dataText(`The team ${status.team}.`, JSON.stringify(facts, null, 2)));
      }),
  );
  server.registerTool(
    "team_tasks",
    {
      title: "Tasks of the team",
      description: "Lists tasks: the open ones, or those in one state, the newest first.",
      inputSchema: z.object({
        state: TaskStateSchema.optional().describe("Only tasks in this state."),
        all: z.boolean().default(false).describe("Also tasks that have ended."),
        limit: PageLimitSchema.default(50),
      }),
      annotations: readOnly,
    },
    ({ state, all, limit }, context) =>
      told(async () => {
        const team = await teamOf(context);
        const { tasks } = await team.request("tasks", { all, limit, ...(state && { state }) });
        const lines = tasks.map((task) =>
          [task.id, task.state, `${task.from_agent} → ${task.to_agent}`, task.title].join("  "),
        );
        const head = `${tasks.length} tasks of the team ${team.init.team}.`;
        return textResult(dataText(head, lines.join("\n")));
      }),
  );
}
