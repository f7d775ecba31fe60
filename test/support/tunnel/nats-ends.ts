import type { Duplex } from "node:stream";
import { onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/time/clock.ts";
import type { Carrier } from "../../../src/tunnel/carrier.ts";
import { connectNats } from "../../../src/tunnel/nats/connect-nats.ts";
import type { TunnelOptions } from "../../../src/tunnel/tunnel.ts";
import { Tunnel } from "../../../src/tunnel/tunnel.ts";

export const never: AbortSignal = new AbortController().signal;

/** Both ends of a tunnel, each on a connection of its own to the server. Streams that the team opens go to `use`. */
export async function tunnelOver(
  url: string,
  use: (stream: Duplex) => void,
  change: (carrier: Carrier) => Carrier = (carrier) => carrier,
): Promise<{ team: Tunnel; host: Tunnel }> {
  const [teamLink, hostLink] = await Promise.all([
    connectNats({ url, name: "team" }),
    connectNats({ url, name: "host" }),
  ]);
  const accept: TunnelOptions["accept"] = async () => use;
  const common = { clock: systemClock, accept };
  const team = new Tunnel({ ...common, carrier: change(teamLink.teamEnd("t").to("h1")) });
  const host = new Tunnel({ ...common, carrier: hostLink.hostEnd("t", "h1") });
  onTestFinished(async () => {
    for (const each of [team, host]) each.close();
    await Promise.all([teamLink.close(), hostLink.close()]);
  });
  await joined(team);
  return { team, host };
}

export const joined = (tunnel: Tunnel): Promise<boolean> =>
  vi.waitUntil(() => tunnel.isJoined, { timeout: 20_000 });
