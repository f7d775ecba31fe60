import type { Ended } from "../core/session.ts";
import type { HostFlags } from "./flags.ts";
import { onSignals } from "./signals.ts";
import type { HostSetting, Ready } from "./start-host.ts";
import { startHost } from "./start-host.ts";

/**
 * Runs a session until it ends: by a signal, a client's `shutdown`, its linger time, or because it
 * cannot go on. A signal that comes during the start ends it as soon as it is there.
 *
 * @throws what `startHost` throws.
 */
export async function runHost(
  flags: HostFlags,
  setting: HostSetting,
  onReady: (ready: Ready) => void,
): Promise<Ended> {
  const asked = Promise.withResolvers<void>();
  const ignoreSignals = onSignals(() => asked.resolve());
  try {
    const host = await startHost(flags, setting);
    setting.logger.info({ ...host.ready }, "ready");
    onReady(host.ready);
    void asked.promise.then(() => host.end("signal"));
    return await host.ended;
  } finally {
    ignoreSignals();
  }
}
