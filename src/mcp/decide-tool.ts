import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { RequestIdSchema } from "../wire/id-schemas.ts";
import { AnswersSchema } from "../wire/session/shared-schemas.ts";
import { textResult } from "./data-text.ts";
import type { TeamOf, Told } from "./reading-tools.ts";

/** `team_decide`: there only when the person has switched it on, because a model decides with it. */
export function addDecideTool(server: McpServer, teamOf: TeamOf, told: Told): void {
  server.registerTool(
    "team_decide",
    {
      title: "Decide for an agent",
      description:
        "Decides on what an agent of the team wants to do, in the name of your person, who has allowed you to.",
      inputSchema: z.object({
        request_id: RequestIdSchema,
        decision: z.enum(["allow", "deny", "answer"]),
        scope: z.enum(["once", "session"]).default("once").describe("Of allow."),
        reason: z.string().min(1).max(10_000).optional().describe("Of deny; the agent reads it."),
        answers: AnswersSchema.optional().describe("Of answer."),
      }),
      annotations: { destructiveHint: true, idempotentHint: true },
    },
    ({ request_id, decision, scope, reason, answers = {} }, context) =>
      told(async () => {
        const team = await teamOf(context);
        if (decision === "allow") await team.request("approve", { request_id, scope });
        else if (decision === "answer") await team.request("answer", { request_id, answers });
        else await team.request("deny", { request_id, ...(reason !== undefined && { reason }) });
        return textResult(`${request_id} is decided: ${decision}.`);
      }),
  );
}
