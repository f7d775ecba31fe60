import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orInvalid } from "./place-errors.ts";
import type { Place } from "./place.ts";
import { bindPrivately } from "./place.ts";
import { checkSocketPath, fitsSocketPath } from "./socket-path.ts";

const DIRECTORY_PREFIX = "switchboard-";
const RANDOM_PART = "XXXXXX";

/** A socket in a new directory that only its owner may enter. The directory goes with the socket. */
export function privatePlace(name: string): Place {
  const prefix = join(roomyTempDir(name), DIRECTORY_PREFIX);
  // The system's temp directory is what TMPDIR says, and that may be wrong.
  const directory = orInvalid(join(prefix + RANDOM_PART, name), () => mkdtempSync(prefix));
  const path = join(directory, name);
  return {
    path,
    occupy: (server) => bindPrivately(server, path),
    vacate() {
      try {
        rmSync(directory, { recursive: true, force: true });
      } catch {
        // What is left belongs to nobody else and stands in nobody's way.
      }
    },
  };
}

/** macOS gives each user a temp directory with a path so long that few socket names fit behind it. */
function roomyTempDir(name: string): string {
  const pathIn = (base: string): string => join(base, DIRECTORY_PREFIX + RANDOM_PART, name);
  const base = [tmpdir(), "/tmp"].find((each) => fitsSocketPath(pathIn(each))) ?? tmpdir();
  checkSocketPath(pathIn(base));
  return base;
}
