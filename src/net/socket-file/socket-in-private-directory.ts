import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { checkSocketDirectory } from "./own-directory.ts";
import { orInvalid } from "./socket-errors.ts";
import type { SocketSite } from "./socket-site.ts";
import { bindPrivately } from "./socket-site.ts";
import { checkSocketPath, fitsSocketPath } from "./socket-path.ts";

const DIRECTORY_PREFIX = "switchboard-";
const RANDOM_PART = "XXXXXX";

/** A socket in a new directory that only its owner may enter. The directory is removed with the socket. */
export function socketInPrivateDirectory(name: string): SocketSite {
  const prefix = join(roomyTempDir(name), DIRECTORY_PREFIX);
  orInvalid(join(prefix + RANDOM_PART, name), () => checkSocketDirectory(dirname(prefix)));
  // The system's temp directory is TMPDIR, which may be wrong.
  const directory = orInvalid(join(prefix + RANDOM_PART, name), () => mkdtempSync(prefix));
  const path = join(directory, name);
  return {
    path,
    occupy: (server) => bindPrivately(server, path),
    vacate() {
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // What is left is private and does no harm.
      }
    },
  };
}

/** macOS gives each user a temp directory with such a long path that few socket names fit after it. */
function roomyTempDir(name: string): string {
  const pathIn = (base: string): string => join(base, DIRECTORY_PREFIX + RANDOM_PART, name);
  const base = [tmpdir(), "/tmp"].find((each) => fitsSocketPath(pathIn(each))) ?? tmpdir();
  checkSocketPath(pathIn(base));
  return base;
}
