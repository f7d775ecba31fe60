import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinnedVersion } from "./server-version.ts";

/**
 * Builds the server from its module, whose hash Go checks.
 *
 * @throws when there is no Go, or the build fails; Go has printed why.
 */
export async function buildWithGo(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), "nats-server-"));
  try {
    const go = spawn("go", ["install", `github.com/nats-io/nats-server/v2@v${pinnedVersion}`], {
      env: { ...process.env, GOBIN: directory, CGO_ENABLED: "0", GOFLAGS: "-trimpath" },
      stdio: ["ignore", 2, 2],
    });
    const [code] = (await once(go, "exit")) as [number | null];
    if (code !== 0) throw new Error(`go install ended with ${code ?? "a signal"}`);
    return readFileSync(join(directory, "nats-server"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
