import { KEY_HEADER } from "agent-switchboard/client/core";
import type { TeamParamsInput } from "agent-switchboard/wire";

/** The address of the whole log for a filter. The gateway takes the filter as the team's method `log` does. */
export function exportPath(form: "csv" | "json", params: TeamParamsInput<"log">): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  return `/api/export/log.${form}?${query.toString()}`;
}

/**
 * Fetches the log as a file with the page's key, which a plain link could not carry, and has the browser save it.
 *
 * @throws when the gateway refuses, or has been cut off.
 */
export async function saveLog(key: string, path: string, name: string): Promise<void> {
  const answer = await fetch(path, { headers: { [KEY_HEADER]: key } });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
