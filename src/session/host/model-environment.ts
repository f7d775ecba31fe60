import { join } from "node:path";
import { rehearsalEnvironment } from "../../rehearsal/environment.ts";
import { privateDirectory, stateDirectory } from "../place/state-directory.ts";
import { startRehearsalProcess } from "./rehearsal-process.ts";

/** Where Claude Code keeps what belongs to rehearsals: nothing of the person's own is touched. */
export const rehearsalConfigDir = (stateDir: string | undefined): string =>
  privateDirectory(join(stateDirectory(stateDir), "rehearsal"));

/** Variables that decide who answers the CLI: nobody special, or a rehearsal that is started here. */
export async function modelEnvironment(
  { rehearsal, stateDir }: { rehearsal?: string; stateDir?: string },
  cleanup: AsyncDisposableStack,
): Promise<Record<string, string>> {
  if (rehearsal === undefined) return {};
  const process = await startRehearsalProcess(rehearsal);
  cleanup.defer(() => process.stop());
  return { ...rehearsalEnvironment(process.url), CLAUDE_CONFIG_DIR: rehearsalConfigDir(stateDir) };
}
