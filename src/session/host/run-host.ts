import { cliSupport } from "../../engine/cli-support.ts";
import type { SessionEnd } from "../core/session.ts";
import type { HostFlags } from "./host-flags.ts";
import { onSignals } from "./on-signals.ts";
import type { HostSetting, Ready } from "./start-host.ts";
import { startHost } from "./start-host.ts";

export type { HostFlags } from "./host-flags.ts";

/**
 * Runs a session until it ends: by a signal, a client's `shutdown`, its linger time, or because it cannot go on. A
 * signal during the start ends it as soon as it is up.
 *
 * @throws what `startHost` throws.
 */
export async function runHost(
  flags: HostFlags,
  setting: HostSetting,
  onReady: (ready: Ready) => void,
): Promise<SessionEnd> {
  const asked = Promise.withResolvers<void>();
  const ignoreSignals = onSignals(() => asked.resolve());
  try {
    const host = await startHost(flags, setting);
    const { cli_version = "", cli_support } = host.ready;
    if (cli_support !== "proven") {
      const { off } = cliSupport(cli_version);
      setting.logger.warn({ cli_version, off }, "this version of Claude Code is not proven");
    }
    onReady(host.ready);
    void asked.promise.then(() => host.end("signal"));
    return await host.ended;
  } finally {
    ignoreSignals();
  }
}
