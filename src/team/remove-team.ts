import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeSocketDirectories } from "./host/local/agent-paths.ts";
import { removeWorktrees } from "./host/local/worktree.ts";

/**
 * Removes the state directory of a team that no process runs, and what the team has outside of it: sockets, and the
 * entries of its worktrees in their repositories.
 */
export async function removeTeam(stateDir: string): Promise<void> {
  const agents = join(stateDir, "agents");
  removeSocketDirectories(stateDir, existsSync(agents) ? readdirSync(agents) : []);
  await removeWorktrees(stateDir);
  rmSync(stateDir, { recursive: true, force: true });
}
