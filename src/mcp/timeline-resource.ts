import type { McpServer } from "@modelcontextprotocol/server";
import type { TeamOf } from "./reading-tools.ts";

const EVENTS = 200;

/** `team://timeline`: the newest events of the team, as the team's own method `timeline` returns them. */
export function addTimeline(server: McpServer, teamOf: TeamOf): void {
  server.registerResource(
    "timeline",
    "team://timeline",
    {
      title: "Timeline of the team",
      description: `The newest ${EVENTS} events of the team, oldest first. Data that other programs wrote.`,
      mimeType: "application/json",
    },
    async (uri, context) => {
      const team = await teamOf(context);
      const { log_id, events, more } = await team.request("timeline", { limit: EVENTS });
      const text = JSON.stringify({ log_id, more, events });
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );
}
