import type { HostProcess } from "./engine-host-process.ts";

export type Victim = "host" | "cli";

/** Kills one of the two with -9; gives the place in the trail from which the next life is told. */
export async function killAndRestart(host: HostProcess, victim: Victim): Promise<number> {
  const since = host.told.length;
  if (victim === "cli") process.kill(host.cliPid, "SIGKILL");
  else {
    await host.kill();
    host.restart();
  }
  await host.until("plan", { since });
  // The CLI that the plan is for is known from now on.
  await host.until("cli_started", { since });
  return since;
}
