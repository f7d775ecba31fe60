import { setTimeout as delay } from "node:timers/promises";
import { accessOf } from "../../nats/nats-credentials.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamBus } from "../host/remote/open-remote-host.ts";
import { askOffice } from "./ask-office.ts";

const FOLLOW_MS = 60_000;
const ASK_AGAIN_MS = 20;

/** How an office moved. */
export interface OfficeMove {
  readonly from: string;
  readonly to: string;
  readonly epoch: number;
  /** From the question until the next office answered. */
  readonly tookMs: number;
}

/**
 * Moves the office of a team to a machine that stands by: to that one, or to any. Resolves when it is there.
 *
 * @throws `team_not_running`; `agent_unavailable` when that machine does not stand by; `timeout`; `connection_failed`.
 */
export async function moveOffice(
  team: string,
  { url, credentials }: TeamBus,
  to: string | undefined,
): Promise<OfficeMove> {
  const { openNatsLine } = await import("../../nats/open-nats-line.ts");
  const line = await openNatsLine(accessOf(url, credentials));
  try {
    const startMs = performance.now();
    const asked = await askOffice(line, team, {
      type: "move",
      ...(to !== undefined && { to }),
    });
    if (asked?.to === undefined) {
      throw errorOf("team_not_running", `No office of the team ${team} answers at ${url}.`, {
        hint: "A machine that stands by follows by itself after 15 s. Or run 'switchboard up TEAM.yaml --bus URL'.",
      });
    }
    while (performance.now() - startMs < FOLLOW_MS) {
      const now = await askOffice(line, team, { type: "who" });
      if (now && now.epoch > asked.epoch) {
        const tookMs = Math.round(performance.now() - startMs);
        return { from: asked.name, to: now.name, epoch: now.epoch, tookMs };
      }
      await delay(ASK_AGAIN_MS);
    }
    throw errorOf("timeout", `${asked.to} was asked to run the team ${team}, and does not yet.`, {
      hint: "See its output. Another machine that stands by follows by itself after 15 s.",
    });
  } finally {
    await line.close();
  }
}
