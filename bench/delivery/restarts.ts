import type { Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { LiveTeam } from "./live-team.ts";
import { countOf } from "./numbers.ts";

const ROUNDS = Math.min(5, countOf("DELIVERY_ROUNDS", 5));
const AGENTS = ["one", "two", "three", "four", "five"];

/** A killed team finds its agents alive; one that was ended starts them anew, with their conversations. */
export function surveyRestarts(): Survey {
  return {
    title: `A team of ${AGENTS.length} comes back: until all agents are ready`,
    async measure() {
      const team = new LiveTeam(AGENTS, `export default () => ({ text: "I am here." });`);
      try {
        const first = await team.up();
        const afterKillMs: number[] = [];
        const afterDownMs: number[] = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          console.error(`delivery: restarts, round ${round} of ${ROUNDS} …`);
          await team.kill();
          afterKillMs.push(await team.up());
          await team.down();
          afterDownMs.push(await team.up());
        }
        return [
          { name: "first start", value: first, unit: "ms" },
          { name: "after kill -9 of its process", value: median(afterKillMs), unit: "ms" },
          { name: "after down", value: median(afterDownMs), unit: "ms" },
        ];
      } finally {
        await team.remove();
      }
    },
  };
}
