import { isRecord } from "../../../wire/json.ts";
import type { RunMark } from "../agent-host.ts";

/** What the host itself calls the run: its processes are not ours. */
export function localMark({ run }: RunMark): Record<string, string> {
  if (run === undefined) return {};
  const mark: unknown = JSON.parse(run);
  return isRecord(mark)
    ? Object.fromEntries(Object.entries(mark).map(([k, v]) => [k, String(v)]))
    : {};
}
