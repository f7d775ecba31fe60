import type { RunMark, StopOutcome } from "../agent-host.ts";
import { askHost } from "./ask-host.ts";
import type { JoinedHost } from "./hosts.ts";
import { localMark } from "./local-mark.ts";

const STOP_MS = 20_000;

/** Ends the run of an agent on its host, in stages, each bounded. @throws when the host does not answer. */
export async function stopAt(
  { tunnel }: Pick<JoinedHost, "tunnel">,
  agent: string,
  mark: RunMark,
  { askedMs = 0, cut = false }: { askedMs?: number; cut?: boolean } = {},
): Promise<StopOutcome> {
  const how = { asked_ms: askedMs, ...(cut && { cut }) };
  const request = { type: "stop", agent, mark: localMark(mark), ...how } as const;
  const late = AbortSignal.timeout(STOP_MS + askedMs);
  return (await askHost(tunnel, request, late)).outcome;
}
