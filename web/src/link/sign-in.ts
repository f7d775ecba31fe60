import type { GatewaySignIn } from "agent-switchboard/client/core";
import { KEY_HEADER } from "agent-switchboard/client/core";

// The way in. A link has a token in its fragment; the gateway changes it into a cookie, which the page cannot read, and
// a key, which the page keeps for its origin. Every request needs both.

const KEPT_KEY = "switchboard.key";

export interface SignedIn extends GatewaySignIn {
  readonly kind: "in";
  readonly key: string;
}

export type SignIn =
  | SignedIn
  /** `used`: the link does not work any more. `none`: the page was opened without a link. */
  | { readonly kind: "out"; readonly why: "none" | "used" | "ended" | "offline" };

/** Uses the link's token, if the address has one, and else the key of an earlier visit. */
export async function signIn(): Promise<SignIn> {
  const token = takeToken();
  try {
    return token === undefined ? await comeBack() : await enter(token);
  } catch {
    return { kind: "out", why: "offline" };
  }
}

/** Whether the sign-in is over. A browser does not say why a WebSocket could not be opened; this does. */
export async function hasEnded(key: string): Promise<boolean> {
  try {
    return (await fetch("/auth/me", { headers: { [KEY_HEADER]: key } })).status === 401;
  } catch {
    return false;
  }
}

export async function leave(key: string): Promise<void> {
  await fetch("/auth/leave", { method: "POST", headers: { [KEY_HEADER]: key } });
  localStorage.removeItem(KEPT_KEY);
}

/** The token leaves the address at once, so that it gets into no history and no screenshot. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get("enter") ?? undefined;
  if (token !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

async function enter(token: string): Promise<SignIn> {
  const answer = await fetch("/auth/enter", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  // A person who follows an old link may still be signed in.
  if (!answer.ok) return keptKey() === null ? { kind: "out", why: "used" } : comeBack();
  const { key, ...rest } = (await answer.json()) as GatewaySignIn & { key: string };
  localStorage.setItem(KEPT_KEY, key);
  return { kind: "in", key, ...rest };
}

async function comeBack(): Promise<SignIn> {
  const key = keptKey();
  if (key === null) return { kind: "out", why: "none" };
  const answer = await fetch("/auth/me", { headers: { [KEY_HEADER]: key } });
  if (answer.status === 401) return { kind: "out", why: "ended" };
  if (!answer.ok) return { kind: "out", why: "offline" };
  return { kind: "in", key, ...((await answer.json()) as GatewaySignIn) };
}

const keptKey = (): string | null => localStorage.getItem(KEPT_KEY);
