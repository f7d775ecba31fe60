import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { surveyFaces } from "./acp/trial.ts";
import { adapterOf, ownFace } from "./acp/ways.ts";
import type { Suite } from "./harness.ts";

/** The face for editors beside the adapter that editors use today, both on the same CLI. */
export default async function acpSuite(): Promise<Suite> {
  await buildProgram();
  return { comparisons: [], surveys: [surveyFaces(ownFace, await adapterOf())] };
}

async function buildProgram(): Promise<void> {
  const root = join(import.meta.dirname, "..");
  const npm = spawn("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm run build failed.");
}
