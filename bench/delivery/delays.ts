import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { Asked } from "./asked.ts";
import { DirectSession } from "./direct.ts";
import { LiveTeam } from "./live-team.ts";
import { countOf, spread } from "./numbers.ts";

const ROUNDS = countOf("DELIVERY_ROUNDS", 31);
const GOAL = 1.5;
const STORY_MS = 100;
const SETTLE_MS = 150;

const script = `export default ({ body }) => {
  const last = JSON.stringify(body.messages.at(-1));
  if (last.includes("tell a story")) return { text: "word ".repeat(2000), delta_chars: 5, delta_delay_ms: 20 };
  return { text: "I am here." };
};`;

type Way = "team" | "direct";
type When = "idle" | "mid-turn, urgent";

/** How long a message takes to the model, by the team and by a bare push, by turns. */
export function surveyDelays(): Survey {
  return {
    title: "A message on its way to the model, beside a direct push with the SDK",
    async measure() {
      const team = new LiveTeam(["boss"], script);
      await team.up();
      const asked = new Asked(team.rehearsal);
      const direct = new DirectSession(team);
      const durableMs: number[] = [];
      const tookMs: Record<When, Record<Way, number[]>> = {
        idle: { team: [], direct: [] },
        "mid-turn, urgent": { team: [], direct: [] },
      };
      const send = async (text: string, priority: "normal" | "urgent"): Promise<void> => {
        const startMs = performance.now();
        await team.client.request("send", { text, id: randomUUID(), priority });
        durableMs.push(performance.now() - startMs);
      };
      /** Until the words are at the model; then until the turn is over. */
      const trip = async (way: Way, when: When): Promise<number> => {
        if (when === "mid-turn, urgent") {
          const story = `tell a story ${randomUUID()}`;
          const begun = asked.of(story);
          if (way === "team") await send(story, "normal");
          else direct.push(story);
          await begun;
          await sleep(STORY_MS);
        }
        const ended = endsOf(team, direct, way);
        const words = randomUUID();
        const arrived = asked.of(words);
        const startMs = performance.now();
        if (way === "team") void send(words, when === "idle" ? "normal" : "urgent");
        else direct.push(words, when === "idle" ? "next" : "now");
        const ms = (await arrived) - startMs;
        await team.until(() => endsOf(team, direct, way) > ended);
        await sleep(SETTLE_MS);
        return ms;
      };
      try {
        for (let round = 0; round <= ROUNDS; round += 1) {
          if (round % 10 === 0) console.error(`delivery: delays, round ${round} of ${ROUNDS} …`);
          const ways: Way[] = round % 2 === 0 ? ["team", "direct"] : ["direct", "team"];
          for (const when of ["idle", "mid-turn, urgent"] as const) {
            for (const way of ways) {
              const ms = await trip(way, when);
              // The first of each is a cold one.
              if (round > 0) tookMs[when][way].push(ms);
            }
          }
        }
      } finally {
        asked.close();
        await direct.close();
        await team.remove();
      }
      return [
        ...spread("send → durable answer", durableMs),
        ...(["idle", "mid-turn, urgent"] as const).flatMap((when) => compared(when, tookMs[when])),
      ];
    },
  };
}

function compared(when: When, { team, direct }: Record<Way, number[]>): Figure[] {
  const ratio = median(team.map((ms, round) => ms / direct[round]!));
  return [
    ...spread(`send → request at the model, ${when}`, team),
    ...spread(`direct push → request, ${when}`, direct),
    {
      name: "    × the direct push",
      value: ratio,
      unit: "×",
      ...(when === "idle" && { goal: { atMost: GOAL } }),
    },
  ];
}

/** How many answers have been given. */
function endsOf(team: LiveTeam, direct: DirectSession, way: Way): number {
  if (way === "direct") return direct.results;
  return team.told.filter(({ type }) => type === "turn_ended").length;
}
