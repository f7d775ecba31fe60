/** The tools of a team, as the host offers them; the model sees them as `mcp__team__<name>`. */
export const teamToolNames = ["send_message", "list_agents", "read_message", "list_tasks"] as const;
