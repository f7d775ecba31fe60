import { join } from "node:path";
import { rehearsalEnvironment } from "../../rehearsal/rehearsal-environment.ts";
import { privateDirectory, stateDirectory } from "../files/state-directory.ts";
import { startRehearsalProcess } from "./rehearsal-process.ts";

/** Claude Code's directory for rehearsals, apart from the person's own. */
export const rehearsalConfigDir = (stateDir: string | undefined): string =>
  privateDirectory(join(stateDirectory(stateDir), "rehearsal"));

/** Variables that decide which model answers the CLI: the default one, or a rehearsal that is started here. */
export async function modelEnvironment(
  flags: { rehearsal?: string; stateDir?: string; continueAtReset?: boolean },
  cleanup: AsyncDisposableStack,
): Promise<Record<string, string>> {
  const { rehearsal, stateDir, continueAtReset = false } = flags;
  if (rehearsal === undefined) return {};
  const process = await startRehearsalProcess(rehearsal);
  cleanup.defer(() => process.stop());
  const account = continueAtReset ? "subscription" : "key";
  return {
    ...rehearsalEnvironment(process.url, { account }),
    CLAUDE_CONFIG_DIR: rehearsalConfigDir(stateDir),
  };
}
