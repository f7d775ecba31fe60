import { errorOf } from "../../wire/errors.ts";

/** Older ones have lost acknowledged entries of replicated streams. */
const OLDEST = { major: 2, minor: 12 };

/** Fails with `bus_invalid` when the server is too old. */
export function mustBeNewEnough(version: string, address: string): void {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const isNewer = Number(major) > OLDEST.major;
  if (isNewer || (Number(major) === OLDEST.major && Number(minor) >= OLDEST.minor)) return;
  throw errorOf(
    "bus_invalid",
    `The NATS server at ${address} has version ${version || "unknown"}; ${OLDEST.major}.${OLDEST.minor} or newer is needed.`,
    { hint: "Update nats-server." },
  );
}
