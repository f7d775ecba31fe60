import { execFileSync } from "node:child_process";

/** Process tests start the built program, so the build must be the source that is tested. */
export default function buildOnce(): void {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
