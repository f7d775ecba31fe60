import { join } from "node:path";
import { rehearsalEnvironment } from "../../rehearsal/rehearsal-environment.ts";
import { privateDirectory, stateDirectory } from "../files/state-directory.ts";
import { startRehearsalProcess } from "./rehearsal-process.ts";

/** Claude Code's directory for rehearsals, apart from the person's own. */
export const rehearsalConfigDir = (stateDir: string | undefined): string =>
  privateDirectory(join(stateDirectory(stateDir), "rehearsal"));

/** Variables that decide which model answers the CLI: the default one, or a rehearsal that is started here. */
export async function modelEnvironment(
  { rehearsal, stateDir }: { rehearsal?: string; stateDir?: string },
  cleanup: AsyncDisposableStack,
): Promise<Record<string, string>> {
  if (rehearsal === undefined) return {};
  const process = await startRehearsalProcess(rehearsal);
  cleanup.defer(() => process.stop());
  return { ...rehearsalEnvironment(process.url), CLAUDE_CONFIG_DIR: rehearsalConfigDir(stateDir) };
}
