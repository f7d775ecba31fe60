import { readdirSync, readFileSync } from "node:fs";
import type { Stage } from "./rehearsed.ts";

/** Every process that was started for this stage: the CLI hands its environment down. */
export function processesOf({ configDir }: Pick<Stage, "configDir">): string[] {
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

/** The CLI that runs on the stage now, without its tools. */
export function cliPidOf(stage: Pick<Stage, "configDir">): number {
  const pid = findCli(stage);
  if (pid === undefined) throw new Error("no CLI is running");
  return Number(pid);
}

/** Whether a CLI is there, if only just. */
export const isRunning = (stage: Stage): boolean => findCli(stage) !== undefined;

const findCli = (stage: Pick<Stage, "configDir">): string | undefined =>
  processesOf(stage).find((pid) => commandLineOf(pid).includes("--input-format"));

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
