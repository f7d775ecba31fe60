import { setTimeout as delay } from "node:timers/promises";
import { cliSupport } from "../../engine/cli-support.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEnd } from "../core/session.ts";
import type { HostFlags } from "./host-flags.ts";
import { onSignals } from "./end-on-signals.ts";
import type { HostSetting, Ready } from "./start-host.ts";
import { startHost } from "./start-host.ts";
import { watchLease } from "./watch-lease.ts";

export type { HostFlags } from "./host-flags.ts";

/** How long a start may go on after a signal. */
const START_AFTER_SIGNAL_MS = 10_000;

/**
 * Runs a session until it ends: by a signal, a client's `shutdown`, its linger time, or because it cannot go on. A
 * signal during the start ends it as soon as it is up; a start that takes too long is given up.
 *
 * @throws what `startHost` throws; `aborted` for a start that was given up. What it has begun ends with the process.
 */
export async function runHost(
  flags: HostFlags,
  setting: HostSetting,
  onReady: (ready: Ready) => void,
): Promise<SessionEnd> {
  const asked = Promise.withResolvers<void>();
  const ignoreSignals = onSignals(() => asked.resolve());
  const forgetLease =
    flags.lease === undefined ? undefined : watchLease(flags.lease, asked.resolve);
  try {
    const host = await Promise.race([startHost(flags, setting), tooLateAfter(asked.promise)]);
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
    forgetLease?.();
  }
}

async function tooLateAfter(signal: Promise<void>): Promise<never> {
  await signal;
  await delay(START_AFTER_SIGNAL_MS, undefined, { ref: false });
  throw errorOf(
    "aborted",
    "A signal came during the start, and the start did not come to an end.",
    {
      hint: "Check what it may be waiting for: a disk, a network file system, or the script of a rehearsal.",
    },
  );
}
