import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { writeBusFiles } from "../../src/tunnel/nats/init/write-bus-files.ts";
import { connectTeamOnce } from "../support/connect-team.ts";
import { HostsStorm, strikes } from "../support/hosts-storm/hosts-storm.ts";
import type { StrikeKind } from "../support/hosts-storm/hosts-storm.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { findMissing, judgeOrder, messagesOf } from "../support/team-storm/verdict.ts";
import { TeamStage } from "../support/team-stage.ts";
import { strictConfig } from "../support/tunnel/strict-nats.ts";

/** A hundred before a release: HOSTS_STORM_ROUNDS=100. */
const {
  HOSTS_STORM_ROUNDS,
  HOSTS_STORM_ONLY,
  HOSTS_STORM_SEED = String(Date.now() % 1_000_000),
} = process.env;
const ROUNDS = Number(HOSTS_STORM_ROUNDS ?? 5);
const ROUND_MS = 200_000;

const team = `
name: storm
lead: boss
timeouts: { start: 120, stable: 0.001, linger: 60, task: 300 }
limits: { per_pair_per_minute: 1000, per_sender_per_minute: 1000 }
agents:
  boss: { description: leads, prompt: You lead., host: h1 }
  coder: { description: codes, prompt: You code., labels: { disk: big } }
`;

const hosts = ["h1", "h2", "h3"];
const say = (words: string): void => void process.stdout.write(`hosts storm: ${words}\n`);

describe.skipIf(!hasNats)("a team on three hosts, with keys and TLS", () => {
  test(
    "loses and doubles no message, whatever is killed, stopped or moved",
    { timeout: ROUNDS * ROUND_MS + 120_000 },
    async () => {
      say(`${ROUNDS} rounds, HOSTS_STORM_SEED=${HOSTS_STORM_SEED}`);
      const random = seededRandom(Number(HOSTS_STORM_SEED));
      const stage = new TeamStage(team, "");
      const files = await writeBusFiles({
        directory: join(stage.root, "bus"),
        team: "storm",
        hosts,
        listen: "127.0.0.1:4222",
        addresses: ["127.0.0.1", "localhost"],
      });
      const nats = await startNats({ config: strictConfig(files.server) });
      onTestFinished(nats.close);
      const secret = (name: string): string[] => ["--credentials", files.credentials[name]!];
      const storm = await HostsStorm.begin({
        stage,
        nats,
        random,
        hosts,
        script: join(import.meta.dirname, "../fixtures/team/storm-script.mjs"),
        agents: ["boss", "coder"],
        upArgs: ["--bus", nats.server.url, ...secret("team")],
        joinArgs: (host) => [
          "--team",
          "storm",
          ...secret(host),
          ...(host === "h1" ? [] : ["--labels", "disk=big"]),
        ],
      });
      onTestFinished(() => storm.close());
      for (const kind of plan(random)) {
        const beganMs = performance.now();
        expect({ kind, wrong: await storm.round(kind) }).toEqual({ kind, wrong: [] });
        say(`${kind}: ${((performance.now() - beganMs) / 1000).toFixed(1)} s`);
      }

      // In peace: these requests show what the conversations have come to.
      await untilAllIsDelivered(stage);
      const before = storm.timeline.told.length;
      expect(await storm.round(undefined)).toEqual([]);
      await untilAllIsDelivered(stage);
      const earlier = storm.timeline.told.slice(0, before);
      expect(findMissing(messagesOf(earlier), storm.lastWords)).toEqual([]);
      expect(judgeOrder(earlier, storm.lastWords)).toEqual([]);
      say(`${messagesOf(storm.timeline.told).length} messages`);

      const { code } = await stage.run("down", "--state-dir", stage.stateDir);
      expect(code).toBe(0);
      for (const host of storm.joins.values()) {
        host.child.kill("SIGTERM");
        expect(await host.exited).toBe(0);
      }
      await expect
        .poll(() => stage.processes().map(({ command }) => command), { timeout: 20_000 })
        .toEqual([]);
    },
  );
});

async function untilAllIsDelivered({ stateDir }: TeamStage): Promise<void> {
  const status = async () => {
    await using client = await connectTeamOnce(controlSocket(stateDir));
    const { open_tasks, dead_letters, agents } = client.init;
    return { open_tasks, dead_letters, inboxes: agents.map(({ inbox }) => inbox) };
  };
  await expect
    .poll(status, { timeout: 20_000 })
    .toEqual({ open_tasks: 0, dead_letters: 0, inboxes: [0, 0] });
}

/** Every kind of strike in an order of chance, again and again; the move is always among them. */
function plan(random: () => number): StrikeKind[] {
  const planned: StrikeKind[] = [];
  while (planned.length < ROUNDS) {
    const shuffled = strikes
      .filter((kind) => HOSTS_STORM_ONLY === undefined || kind === HOSTS_STORM_ONLY)
      .map((kind) => ({ kind, by: kind === "move" && planned.length === 0 ? 0 : random() }))
      .toSorted((one, other) => one.by - other.by);
    planned.push(...shuffled.map(({ kind }) => kind));
  }
  return planned.slice(0, ROUNDS);
}
