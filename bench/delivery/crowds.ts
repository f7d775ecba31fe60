import type { Figure, Survey } from "../harness.ts";
import { LiveTeam } from "./live-team.ts";

const { DELIVERY_AGENTS = "5,20,40" } = process.env;
const COUNTS = DELIVERY_AGENTS.split(",").map(Number);

/** Teams of several sizes, all agents alive. */
export function surveyCrowds(): Survey {
  return {
    title: "Live agents: start and memory",
    async measure() {
      const figures: Figure[] = [];
      for (const count of COUNTS) {
        console.error(`delivery: ${count} agents …`);
        figures.push(...(await measureCrowd(count)));
      }
      return figures;
    },
  };
}

async function measureCrowd(count: number): Promise<Figure[]> {
  const agents = Array.from({ length: count }, (_, index) => `a${index + 1}`);
  const team = new LiveTeam(agents, `export default () => ({ text: "I am here." });`);
  try {
    const readyMs = await team.up();
    const { rss, pss, processes } = team.megabytes;
    return [
      { name: `${count} agents: until all are ready`, value: readyMs / 1000, unit: "s" },
      { name: `${count} agents: RSS of all ${processes} processes`, value: rss, unit: "MB" },
      { name: `${count} agents: shared pages counted once`, value: pss, unit: "MB" },
      { name: `${count} agents: the same for each`, value: pss / count, unit: "MB" },
    ];
  } finally {
    await team.remove();
  }
}
