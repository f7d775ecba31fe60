import type { GatewayLink, GatewayRole } from "agent-switchboard/client/core";
import { KEY_HEADER } from "agent-switchboard/client/core";

// The links that let others in, or the same person on another machine. Only owners make and see them.

export interface NewLink {
  readonly role: GatewayRole;
  /** Absent: a name that the gateway chooses. */
  readonly name?: string;
  readonly for_ms: number;
}

export async function listLinks(key: string): Promise<readonly GatewayLink[]> {
  const { links } = (await ask(key, "GET", "/auth/links")) as { links: GatewayLink[] };
  return links;
}

/** @returns the address to hand on; nobody sees it again. */
export async function makeLink(key: string, link: NewLink): Promise<string> {
  const { url } = (await ask(key, "POST", "/auth/links", link)) as { url: string };
  return url;
}

/** Ends a link, or the sign-in that came of it: its open pages lose their connection. */
export async function revokeLink(key: string, id: string): Promise<void> {
  await ask(key, "DELETE", `/auth/links/${encodeURIComponent(id)}`);
}

/** @throws with the gateway's code, where it gives one. */
async function ask(key: string, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(path, {
    method,
    headers: { [KEY_HEADER]: key, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const value: unknown = answer.status === 204 ? undefined : await answer.json();
  if (answer.ok) return value;
  const { error } = value as { error?: { code?: string; message?: string } };
  throw Object.assign(new Error(error?.message ?? answer.statusText), { code: error?.code });
}
