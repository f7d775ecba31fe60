import type { StartTeamOptions } from "../../team/index.ts";
import { waitForOffice } from "../../team/index.ts";
import { pause } from "../../time/abortable-waits.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { Interruption } from "../listen-for-interruption.ts";

/** Another machine was quicker, or the server is away: what a machine that stands by waits through. */
const passing: ReadonlySet<string> = new Set([
  "bus_in_use",
  "bus_unavailable",
  "connection_failed",
]);

const AGAIN_MS = 2000;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Waits until this machine is to run the team, as often as another one is quicker. Resolves when the team has ended here.
 *
 * @param run runs the team, to its end here.
 */
export async function standByForTeam(
  options: StartTeamOptions,
  detach: boolean,
  interruption: Interruption,
  run: (options: StartTeamOptions) => Promise<void>,
): Promise<void> {
  const { bus, stateDir, team } = options;
  if (!bus || detach) {
    throw errorOf("invalid_params", "--standby needs --bus, and runs in the foreground.", {
      hint: "For example: switchboard up team.yaml --bus nats://HOST:PORT --standby",
    });
  }
  const over = new AbortController();
  const interrupted = interruption.first.then((by) => {
    over.abort(new Error(by));
    return "interrupted" as const;
  });
  // What is wrong from the beginning does not pass.
  let hasWaited = false;
  while (!over.signal.aborted) {
    try {
      if (!hasWaited) say(`Stands by to run the team ${team.name}.`);
      const waiting = waitForOffice(team, stateDir, bus, over.signal);
      const end = await Promise.race([waiting, interrupted]);
      if (end === "interrupted") return void (await waiting.catch(() => {}));
      if (end === "stopped") return say("The team was stopped.");
      hasWaited = true;
      const why = end === "asked" ? "It was asked to" : "No machine runs the team any more";
      say(`${why}: this one does from now on.`);
      return await run({ ...options, bus: { ...bus, follows: true } });
    } catch (error) {
      const isPassing = error instanceof ClaudeCodeError && passing.has(error.code);
      if (!isPassing || !hasWaited) throw error;
      say(`${error.message} It stands by again.`);
      await pause(AGAIN_MS, over.signal);
    }
  }
}
