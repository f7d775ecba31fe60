import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { probeSocket } from "../../../net/probe-socket.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { RunFacts } from "../agent-host.ts";

/** The paths of one agent's files. They stay the same from one process to the next. */
export interface AgentPaths {
  /** HOME of an agent with `isolation: home`. */
  readonly root: string;
  /** CLAUDE_CONFIG_DIR of an agent with `isolation: config`. */
  readonly config: string;
  /** The persona, as an agent of Claude Code's settings. */
  readonly settings: string;
  /** The persona, as it is appended to the system prompt. */
  readonly persona: string;
  /** More settings for the CLI, whatever the isolation. */
  readonly extraSettings: string;
  readonly mcpConfig: string;
  /** The rules of the team file for this agent. */
  readonly policy: string;
  /** Until when it may run, where that is not for this machine alone to say. */
  readonly lease: string;
  /** What the agent's process says on stderr. */
  readonly log: string;
  /** The session's own log. */
  readonly state: string;
  readonly socket: string;
  readonly observe: string;
  /** The socket of its team tools: a call there comes from this agent. */
  readonly tools: string;
}

const SOCKET = "claudecode_ipc_team.sock";
/** What the system allows, without the room that a bind in a private directory needs. */
const MAX_SOCKET_CHARS = 88;

export function pathsOfAgent(stateDir: string, id: AgentId): AgentPaths {
  const root = join(stateDir, "agents", id);
  const config = join(root, ".claude");
  const sockets = join(socketRoot(stateDir, id), id);
  return {
    root,
    config,
    settings: join(config, "settings.json"),
    persona: join(root, "persona.md"),
    extraSettings: join(root, "team-settings.json"),
    mcpConfig: join(root, "mcp.json"),
    policy: join(root, "policy.json"),
    lease: join(root, "lease"),
    log: join(root, "agent.log"),
    state: join(root, "state"),
    socket: join(sockets, "agent.sock"),
    observe: join(sockets, "observe.sock"),
    tools: sockets,
  };
}

export const factsOf = ({ socket, observe, state }: AgentPaths): RunFacts => ({
  socket,
  observe_socket: observe,
  state_dir: state,
});

/** Sockets lie in the state directory, unless its path is so long that the system would refuse them. */
function socketRoot(stateDir: string, longestId: AgentId): string {
  const here = join(stateDir, "s");
  if (join(here, longestId, SOCKET).length <= MAX_SOCKET_CHARS) return here;
  const name = createHash("sha256").update(stateDir).digest("hex").slice(0, 12);
  return join(tmpdir(), `switchboard-${process.getuid?.() ?? "user"}-${name}`);
}

/** Removes the sockets that an agent has left, and those to its tools. A socket that is served stays. */
export async function removeDeadSockets({ tools }: AgentPaths): Promise<void> {
  if (!existsSync(tools)) return;
  for (const name of readdirSync(tools).filter((each) => each.endsWith(".sock"))) {
    const path = join(tools, name);
    if ((await probeSocket(path)).state === "dead") rmSync(path, { force: true });
  }
}

/**
 * Removes the files beside an agent's sockets, and the directory, which may lie outside the state directory. A directory with
 * a socket in it stays: a session may be served there.
 */
export function clearSocketDirectory({ tools }: AgentPaths): void {
  if (!existsSync(tools)) return;
  for (const entry of readdirSync(tools, { withFileTypes: true })) {
    if (entry.isFile()) rmSync(join(tools, entry.name), { force: true });
  }
  removeIfEmpty(tools);
  removeIfEmpty(dirname(tools));
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // There are others in it, or it is gone already.
  }
}

/**
 * Called before a team's state directory is removed, once all its agents have ended. Removes the directory of their
 * sockets too, also if it lies outside.
 */
export function removeSocketDirectories(stateDir: string, ids: Iterable<AgentId>): void {
  for (const id of ids) {
    const { tools } = pathsOfAgent(stateDir, id);
    rmSync(tools, { recursive: true, force: true });
    removeIfEmpty(dirname(tools));
  }
}
