import type { SessionHosts, StartedHost } from "../../acp/hosts.ts";
import { heldSessions } from "../../session/stored-sessions.ts";
import { errorOf } from "../../wire/errors.ts";
import { startDetachedHost } from "./detached-host.ts";

export interface Where {
  readonly stateDir?: string | undefined;
  readonly rehearsal?: boolean | undefined;
}

/** What `agent-socket acp` needs of the other commands of this program. */
export function hostsOf({ stateDir, rehearsal }: Where): SessionHosts {
  const where = {
    ...(stateDir !== undefined && { stateDir }),
    ...(rehearsal === true && { rehearsal }),
  };
  return {
    async start(flags) {
      const [program = ""] = process.argv.slice(1);
      const ready = await startDetachedHost([program, ...flags], stateDir);
      if (ready === undefined) throw errorOf("aborted", "The start was interrupted.");
      const { socket, session_id: sessionId } = ready;
      return { socket, sessionId } satisfies StartedHost;
    },
    async socketOf(sessionId) {
      const held = (await heldSessions()).find((each) => each.session_id === sessionId);
      return held?.socket;
    },
    async list(cwd) {
      // Loaded on demand: it needs the Agent SDK.
      const { listSessions } = await import("../../session/host/list-sessions.ts");
      const sessions = await listSessions({ ...where, ...(cwd !== undefined && { cwd }) });
      return sessions.flatMap(({ session_id: sessionId, cwd: at, title, last_used: lastUsed }) =>
        at === undefined ? [] : [{ sessionId, cwd: at, title, lastUsed }],
      );
    },
    async remove(sessionId) {
      const { deleteSession } = await import("../../session/host/change-stored-session.ts");
      await deleteSession(sessionId, where);
    },
  };
}
