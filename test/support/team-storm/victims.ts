import { readdirSync, readFileSync } from "node:fs";
import type { TeamRun, TeamStage } from "../team-stage.ts";

export const victims = ["team", "coder host", "boss host", "coder cli", "boss cli", "all"] as const;
export type Victim = (typeof victims)[number];

export const isTeam = (victim: Victim): boolean => victim === "team" || victim === "all";

/** Agents whose host dies with this victim. */
export const hostsOf = (victim: Victim): string[] => {
  if (victim === "all") return ["boss", "coder"];
  return victim.endsWith(" host") ? [victim.slice(0, -" host".length)] : [];
};

/** Nanoseconds for which a process ran, and for which it could have run and had to wait. */
export interface Clock {
  ran: number;
  waited: number;
}
export type Clocks = ReadonlyMap<number, Clock>;

/**
 * How much longer they took from one time to another than on a machine of their own. They come back one after
 * the other, so all of their time is put together: one that hardly ran says little, however long it waited.
 */
export function slowdownBetween(before: Clocks, after: Clocks): number {
  let [ranNs, waitedNs] = [0, 0];
  for (const [pid, { ran, waited }] of after) {
    const known = before.get(pid);
    // A number may have been given again.
    const begun = known !== undefined && known.ran <= ran ? known : { ran: 0, waited: 0 };
    ranNs += ran - begun.ran;
    waitedNs += waited - begun.waited;
  }
  return ranNs > 0 ? (ranNs + waitedNs) / ranNs : 1;
}

type Part = Exclude<Victim, "team" | "all">;

/**
 * The processes of a team's agents, by what they are. A machine may have many others, and this is asked
 * often: those that were there before the team are not looked at again.
 */
export class Crew {
  readonly #root: string;
  readonly #strangers: Set<string>;

  /** To be made before the team is up. */
  constructor({ root }: TeamStage) {
    this.#root = root;
    this.#strangers = new Set(pidsNow());
  }

  /** Whom to strike, and who is lost with them: no CLI outlives its host. */
  pidsOf({ child }: TeamRun, victim: Victim): { struck: number[]; lost: number[] } {
    const team = child.pid === undefined ? [] : [child.pid];
    if (victim === "team") return { struck: team, lost: team };
    const parts = this.#look();
    const all = [...team, ...Object.values(parts).flat()];
    if (victim === "all") return { struck: all, lost: all };
    const agent = victim.startsWith("boss") ? "boss" : "coder";
    const struck = parts[victim];
    return { struck, lost: [...struck, ...parts[`${agent} cli`]] };
  }

  /** Every agent has a CLI, and it is none of those. */
  haveClis(lost: ReadonlySet<number>): boolean {
    const parts = this.#look();
    return [parts["boss cli"], parts["coder cli"]].every((pids) =>
      pids.some((pid) => !lost.has(pid)),
    );
  }

  /** None of those processes is there any more. */
  areGone(pids: readonly number[]): boolean {
    return pids.every((pid) => !commandOf(String(pid)).includes(this.#root));
  }

  /** Of the team's process and of all hosts and CLIs: what they ran and waited in their lives up to now. */
  clocks({ child }: TeamRun): Clocks {
    const team = child.pid === undefined ? [] : [child.pid];
    const pids = [...team, ...Object.values(this.#look()).flat()];
    return new Map(pids.map((pid) => [pid, clockOf(pid)]));
  }

  #look(): Record<Part, number[]> {
    const pids = pidsNow();
    const living = new Set(pids);
    // Its number may be given to one of ours.
    for (const pid of this.#strangers) if (!living.has(pid)) this.#strangers.delete(pid);
    const ours = pids
      .filter((pid) => !this.#strangers.has(pid))
      .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
      .filter(({ command }) => command.includes(this.#root));
    const matching = (program: string, place: string): number[] =>
      ours.flatMap(({ pid, command }) =>
        command.includes(program) && command.includes(place) ? [pid] : [],
      );
    return {
      "coder host": matching("agent-socket", "/s/coder/"),
      "boss host": matching("agent-socket", "/s/boss/"),
      "coder cli": matching("stream-json", "/agents/coder/"),
      "boss cli": matching("stream-json", "/agents/boss/"),
    };
  }
}

const pidsNow = (): string[] => readdirSync("/proc").filter((name) => /^\d+$/.test(name));

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function clockOf(pid: number): Clock {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8")
      .split(" ")
      .map(Number);
    return { ran, waited };
  } catch {
    // It is gone, or the system does not keep count.
    return { ran: 0, waited: 0 };
  }
}

export function strike(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
  }
}
