import type { AgentSpec } from "../../file/team.ts";
import type { RunMark } from "../agent-host.ts";
import { CERTAINLY_STOPPED_MS } from "../lease-times.ts";
import type { Assignment, Assignments } from "./assignments.ts";
import { bringConversation } from "./bring-conversation.ts";
import type { Hosts, JoinedHost } from "./hosts.ts";
import { stopAt } from "./stop-at-host.ts";

export interface TakeOver {
  readonly spec: Pick<AgentSpec, "id" | "isolation">;
  readonly hosts: Pick<Hosts, "reachable" | "silentMs" | "tell">;
  readonly assignments: Pick<Assignments, "epoch">;
  /** The host that has the agent. */
  readonly current: string;
  readonly to: JoinedHost;
  /** Of its last run. */
  readonly mark: RunMark;
  /** Under which it will run on the other host. */
  readonly term: number;
  /** Without waiting for a host that cannot be reached. */
  readonly force: boolean;
  /** The session that comes along, if there is one. */
  readonly conversation: string | undefined;
  readonly onWait: (why: string) => void;
  readonly signal: AbortSignal;
}

/** No host runs the agent any more, and what has become of its conversation; or what has to be waited for. */
export type TakenAgent =
  | { readonly free: Pick<Assignment, "brought" | "lost"> }
  | { readonly wait: string };

/**
 * Takes an agent from the host that has it. Two hosts never run one agent: that one has confirmed that it has stopped it, or its lease
 * is over.
 */
export async function takeOver(options: TakeOver): Promise<TakenAgent> {
  const { spec, hosts, current, mark, force, conversation } = options;
  const from = hosts.reachable(current);
  const isStopped = from && (await isStoppedAt(from, spec.id, mark));
  if (from && isStopped === true)
    return conversation === undefined ? { free: {} } : bring(options, from, conversation);
  const leftMs = CERTAINLY_STOPPED_MS - hosts.silentMs(current);
  if (leftMs <= 0 || (force && !from))
    return { free: { lost: `it is on ${current}, which cannot be reached` } };
  return {
    wait: from ? `waits until the host ${current} has stopped it` : willBeOver(current, leftMs),
  };
}

const isStoppedAt = (host: JoinedHost, agent: string, mark: RunMark): Promise<boolean> =>
  stopAt(host, agent, mark, { cut: true }).then(
    () => true,
    () => false,
  );

/** In steps, so that people do not hear of every second. */
function willBeOver(host: string, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 10_000) * 10;
  return `waits until the host ${host}, which cannot be reached, has certainly stopped it: ${seconds} s at most`;
}

async function bring(
  { spec, hosts, assignments, current, to, term, onWait, signal }: TakeOver,
  from: JoinedHost,
  session: string,
): Promise<TakenAgent> {
  const { id: agent, isolation } = spec;
  let shown = -1;
  const onProgress = (share: number): void => {
    const percent = Math.floor(share * 4) * 25;
    if (percent === shown) return;
    shown = percent;
    onWait(`its conversation is copied from ${current} to ${to.name}: ${percent} %`);
  };
  const epoch = assignments.epoch ?? 0;
  const brought = await bringConversation(
    { agent, isolation, session, from, to, epoch, term, onProgress },
    signal,
  );
  if (brought.at === "not_taken")
    return { wait: `waits: the host ${to.name} cannot take its conversation: ${brought.why}` };
  if (brought.at === "not_given") {
    const { why, mayPass } = brought;
    return mayPass
      ? { wait: `waits: its conversation cannot be had from ${current} now: ${why}` }
      : { free: { lost: `it cannot be had from ${current}: ${why}` } };
  }
  const { files, bytes } = brought;
  hosts.tell({
    level: "info",
    message: `The conversation of ${agent} was copied from ${current} to ${to.name}: ${files} files, ${bytes} bytes.`,
  });
  return { free: { brought: session } };
}
