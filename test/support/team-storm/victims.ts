import { readdirSync, readFileSync } from "node:fs";
import type { TeamRun, TeamStage } from "../team-stage.ts";

export const victims = ["team", "coder host", "boss host", "coder cli", "boss cli", "all"] as const;
export type Victim = (typeof victims)[number];

export const isTeam = (victim: Victim): boolean => victim === "team" || victim === "all";

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

  /** How much longer they took than on a machine of their own: they ran, and they waited to run. */
  slowdown(): number {
    const pids = Object.values(this.#look()).flat();
    return Math.max(1, ...pids.map(slowdownOf));
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

function slowdownOf(pid: number): number {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/schedstat`, "utf8")
      .split(" ")
      .map(Number);
    return ran > 0 ? (ran + waited) / ran : 1;
  } catch {
    // It is gone, or the system does not keep count.
    return 1;
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
