import type { TeamParamsInput } from "agent-switchboard/wire";

/** The address of the whole log for a filter. The gateway takes the filter as the team's method `log` does. */
export function exportPath(form: "csv" | "json", params: TeamParamsInput<"log">): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  return `/api/export/log.${form}?${query.toString()}`;
}
