import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Suite } from "./harness.ts";
import { surveyCrowd } from "./session/crowd.ts";
import { compareDeltas, surveyAttach, surveyReplay } from "./session/log.ts";
import { surveyTrial } from "./session/trial.ts";
import { acpAdapter, agentSocket, thinRelay } from "./session/ways.ts";

export default async function sessionSuite(): Promise<Suite> {
  await buildProgram();
  const contest = { relay: await thinRelay(), adapter: await acpAdapter(), own: agentSocket };
  return {
    comparisons: [compareDeltas()],
    surveys: [surveyTrial(contest), surveyCrowd(), surveyReplay(), surveyAttach()],
  };
}

/** agent-socket is measured as it is shipped, and as its source is now. */
async function buildProgram(): Promise<void> {
  const root = join(import.meta.dirname, "..");
  const npm = spawn("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm run build failed.");
}
