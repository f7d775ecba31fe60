import { readdirSync, readFileSync } from "node:fs";
import type { Stage } from "./rehearsed.ts";

/** Every process that was started for this stage: the CLI hands its environment down. */
export function processesOf({ configDir }: Stage): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(configDir);
      } catch {
        return false;
      }
    });
}
