import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeNetworkNamespace } from "../support/nats/network-namespace.ts";
import type { NatsAddress } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";
import type { JoinOptions } from "../support/tunnel/join-process.ts";
import { JoinProcess } from "../support/tunnel/join-process.ts";

const LEASE_MS = 8000;
const env = { SWITCHBOARD_TEST_HOST_LEASE_MS: String(LEASE_MS) };
const LOOK_MS = 200;

const team = `
name: away
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p, host: h1 }
`;

/** The coder works for longer than the lease. */
const script = `
rules:${roleRule}
  - when: { agent: boss, user: '/(job-\\d)/' }
    tools:
      - { name: mcp__team__send_message, input: { to: coder, content: part of $1, wait: true } }
  - when: { agent: boss, tool_result: { text: '/result of (job-\\d)/' } }
    text: Done with $1.
  - when: { agent: coder, peer: '/part of job-2/' }
    text: result of job-2
    delay_ms: 12000
  - when: { agent: coder, peer: '/part of (job-\\d)/' }
    text: result of $1
default: { text: UNEXPECTED }
`;

/** On all addresses, so that other networks reach it. */
const open = ({ name, port, monitorPort, storeDirectory }: NatsAddress): string => `
server_name: ${name}
listen: "0.0.0.0:${port}"
http: "127.0.0.1:${monitorPort}"
jetstream { store_dir: "${storeDirectory}" }
`;

/** Which hosts run the coder, looked at all the time. */
class CoderWatch {
  readonly seen: string[][] = [];
  readonly #stage: TeamStage;
  #isOver = false;

  constructor(stage: TeamStage) {
    this.#stage = stage;
    onTestFinished(() => void (this.#isOver = true));
    void this.#look();
  }

  get now(): string[] {
    return this.#stage
      .processes()
      .flatMap(({ command }) =>
        command.includes("agent-socket.js")
          ? (/state-of-(h\d)\/coder\//.exec(command)?.[1] ?? [])
          : [],
      );
  }

  async #look(): Promise<void> {
    for (; !this.#isOver; await delay(LOOK_MS)) this.seen.push(this.now);
  }
}

async function begin(url: string, join: JoinOptions, urlOfH1 = url) {
  const stage = new TeamStage(team, script);
  const run = await stage.up({ ready: ["boss"], args: ["--bus", url], env });
  const named = ["--team", "away"];
  const h1 = new JoinProcess(stage, "h1", urlOfH1, named, env, join);
  const h2 = new JoinProcess(stage, "h2", url, named, env);
  await run.ready("coder");
  await expect.poll(() => h2.out + h2.errors).toContain("The team is there");
  expect(await run.ask("job-1 please")).toBe("Done with job-1.");
  const watch = new CoderWatch(stage);
  return { stage, run, h1, h2, watch };
}

/** The coder works on h1; then that host is lost, and the coder is moved to h2 without force. */
async function moveFromLost(
  { stage, run, watch }: Awaited<ReturnType<typeof begin>>,
  lose: () => Promise<void> | void,
): Promise<void> {
  const answer = run.ask("job-2 please");
  await run.until("turn_started", {
    since: run.told.length,
    fits: ({ agent }) => agent === "coder",
  });
  await lose();
  const since = run.told.length;
  await run.until("notice", { since, fits: ({ message }) => message.includes("h1 is lost") });
  expect(watch.now).toEqual(["h1"]);
  const moved = await stage.run("move", "coder", "h2", "--state-dir", stage.stateDir);
  expect(moved.code).toBe(0);
  await run.until("agent_state", {
    since,
    fits: ({ reason = "" }) =>
      reason.includes("h1, which cannot be reached, has certainly stopped it"),
  });
  expect(await answer).toBe("Done with job-2.");
  expect(watch.now).toEqual(["h2"]);
  expect(watch.seen.filter((hosts) => hosts.length > 1)).toEqual([]);
  // On its old host it had been at work for as long as it might.
  expect(watch.seen.flat()).toContain("h1");
}

describe.skipIf(!hasNats)("an agent whose host is lost in the middle of a turn", () => {
  test(
    "is ended there by its lease before it runs elsewhere, when the network is cut, and is not started twice when that heals",
    { timeout: 180_000 },
    async (context) => {
      const network = makeNetworkNamespace(context);
      const nats = await startNats({ config: open });
      onTestFinished(nats.close);
      const { url } = nats.server;
      const stage = await begin(
        url,
        { through: network.exec },
        url.replace("127.0.0.1", network.gateway),
      );
      const { run, h1, watch } = stage;
      await moveFromLost(stage, network.cut);
      expect(h1.out + h1.errors).toContain(
        "coder is stopped here: the team has not named it for 8 s",
      );

      const since = run.told.length;
      network.heal();
      await run.until("notice", {
        since,
        fits: ({ message }) => message.includes("h1 has joined"),
      });
      expect(await run.ask("job-3 please")).toBe("Done with job-3.");
      await delay(3000);
      expect(watch.seen.filter((hosts) => hosts.length > 1)).toEqual([]);
      expect(watch.now).toEqual(["h2"]);
    },
  );

  test(
    "ends by itself with its lease before it runs elsewhere, when its 'switchboard join' was killed",
    { timeout: 180_000 },
    async () => {
      const nats = await startNats();
      onTestFinished(nats.close);
      const stage = await begin(nats.server.url, {});
      await moveFromLost(stage, () => stage.h1.kill());
      expect(await stage.run.ask("job-3 please")).toBe("Done with job-3.");
    },
  );
});
