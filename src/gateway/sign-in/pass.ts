import { randomBytes } from "node:crypto";
import type { GatewayRole } from "../../wire/gateway.ts";
import { fingerprint, isSame, newSecret } from "./make-and-compare-secrets.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LINK_MS = 10 * MINUTE_MS;
export const SIGN_IN_MS = 30 * DAY_MS;
/** The time of the last use is kept no finer than this, so that the file is written rarely. */
const SEEN_STEP_MS = 60 * MINUTE_MS;

/**
 * One person's right to enter: first a link, then the sign-in that came of it. A link can be used once; then there is a sign-in of two halves, and
 * one of them alone is nothing. Only fingerprints are kept. Times are milliseconds since 1970.
 */
export interface Pass {
  readonly id: string;
  /** Whom records name. */
  readonly name: string;
  readonly role: GatewayRole;
  readonly madeAt: number;
  /** When all ends, however much it is used. */
  readonly endsAt?: number | undefined;
  readonly state:
    | { readonly kind: "open"; readonly token: string; readonly until: number }
    | {
        readonly kind: "used";
        readonly cookie: string;
        readonly key: string;
        readonly seenAt: number;
        readonly until: number;
      };
}

export interface NewPass {
  readonly name: string;
  readonly role: GatewayRole;
  /** How long the link and its sign-in last together. Without it the link lasts ten minutes, its sign-in 30 days after its last use. */
  readonly forMs?: number | undefined;
}

export function makePass(
  { name, role, forMs }: NewPass,
  now: number,
): { pass: Pass; token: string } {
  const token = newSecret();
  const endsAt = forMs === undefined ? undefined : now + forMs;
  // A viewer may be elsewhere, and asleep: the link lasts as long as what it is for.
  const until =
    role === "viewer" ? (endsAt ?? now + LINK_MS) : Math.min(now + LINK_MS, endsAt ?? Infinity);
  const state = { kind: "open", token: fingerprint(token), until } as const;
  const id = randomBytes(8).toString("hex");
  return {
    pass: { id, name, role, madeAt: now, ...(endsAt !== undefined && { endsAt }), state },
    token,
  };
}

export const hasEnded = ({ state }: Pass, now: number): boolean => state.until <= now;

/** The open link with this token. Looks at all of them, so that the time tells nothing. */
export function passOfToken(passes: readonly Pass[], token: string, now: number): Pass | undefined {
  const print = fingerprint(token);
  let found: Pass | undefined;
  for (const pass of passes) {
    const isIt = pass.state.kind === "open" && isSame(pass.state.token, print);
    if (isIt && !hasEnded(pass, now)) found = pass;
  }
  return found;
}

/** The sign-in that comes of a link, and its two halves in plain. */
export function usePass(pass: Pass, now: number): { pass: Pass; cookie: string; key: string } {
  const [cookie, key] = [newSecret(), newSecret()];
  const halves = { cookie: fingerprint(cookie), key: fingerprint(key) };
  const state = { kind: "used", ...halves, seenAt: now, until: endOf(pass, now) } as const;
  return { pass: { ...pass, state }, cookie, key };
}

/** The sign-in to which both halves belong. Looks at all of them, so that the time tells nothing. */
export function passOfHalves(
  passes: readonly Pass[],
  cookie: string,
  key: string,
  now: number,
): Pass | undefined {
  const [cookiePrint, keyPrint] = [fingerprint(cookie), fingerprint(key)];
  let found: Pass | undefined;
  for (const pass of passes) {
    if (pass.state.kind !== "used") continue;
    const hasCookie = isSame(pass.state.cookie, cookiePrint);
    const hasKey = isSame(pass.state.key, keyPrint);
    if (hasCookie && hasKey && !hasEnded(pass, now)) found = pass;
  }
  return found;
}

/** The pass after a use. It is the same object when there is nothing to keep. */
export function renewPass(pass: Pass, now: number): Pass {
  const { state } = pass;
  if (state.kind === "open" || now - state.seenAt < SEEN_STEP_MS) return pass;
  return { ...pass, state: { ...state, seenAt: now, until: endOf(pass, now) } };
}

const endOf = ({ endsAt }: Pass, now: number): number =>
  Math.min(now + SIGN_IN_MS, endsAt ?? Infinity);
