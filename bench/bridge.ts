import { surveyLimits } from "./bridge/limits.ts";
import { surveyMemory } from "./bridge/memory.ts";
import { surveyRealSessions } from "./bridge/real-sessions.ts";
import { compareParallelCalls, compareRoundTrips, surveyRelays } from "./bridge/round-trips.ts";
import { surveyManySessions } from "./bridge/many-sessions.ts";
import { setStage } from "./bridge/stage.ts";
import { compareStarts } from "./bridge/starts.ts";
import { allWays, openWays } from "./bridge/ways.ts";
import type { Suite } from "./harness.ts";

export default async function bridgeSuite(): Promise<Suite> {
  const stage = await setStage();
  const ways = await openWays(stage);
  return {
    comparisons: [
      compareStarts(stage),
      ...compareRoundTrips(stage, ways),
      compareParallelCalls(ways),
    ],
    surveys: [
      surveyRelays(stage, ways),
      surveyMemory(stage),
      surveyLimits(ways),
      surveyManySessions(stage),
      surveyRealSessions(),
    ],
    async close() {
      for (const way of allWays(ways)) await way.close();
      await stage.close();
    },
  };
}
