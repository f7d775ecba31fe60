import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { surveyCrowds } from "./delivery/crowds.ts";
import { surveyDelays } from "./delivery/delays.ts";
import { surveyRate } from "./delivery/rate.ts";
import { surveyRestarts } from "./delivery/restarts.ts";
import type { Suite } from "./harness.ts";

/**
 * Real teams of real CLIs on a rehearsal. DELIVERY_ROUNDS, DELIVERY_MESSAGES and DELIVERY_AGENTS (5,20,40)
 * make it shorter.
 */
export default async function deliverySuite(): Promise<Suite> {
  const root = join(import.meta.dirname, "..");
  const npm = spawn("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm run build failed.");
  return {
    comparisons: [],
    surveys: [surveyDelays(), surveyRate(), surveyRestarts(), surveyCrowds()],
  };
}
