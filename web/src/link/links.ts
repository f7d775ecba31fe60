import type { GatewayLink, GatewayRole } from "agent-switchboard/client/core";
import { askGateway } from "./gateway-request.ts";

// The links that let others in, or the same person on another machine. Only owners make and see them.

export interface NewLink {
  readonly role: GatewayRole;
  /** Absent: a name that the gateway chooses. */
  readonly name?: string;
  readonly for_ms: number;
}

export async function listLinks(key: string): Promise<readonly GatewayLink[]> {
  const answer = await askGateway(key, "/auth/links");
  const { links } = (await answer.json()) as { links: GatewayLink[] };
  return links;
}

/** @returns the address to hand on; nobody sees it again. */
export async function makeLink(key: string, link: NewLink): Promise<string> {
  const answer = await askGateway(key, "/auth/links", { method: "POST", body: link });
  const { url } = (await answer.json()) as { url: string };
  return url;
}

/** Ends a link, or the sign-in that came of it: its open pages lose their connection. */
export async function revokeLink(key: string, id: string): Promise<void> {
  await askGateway(key, `/auth/links/${encodeURIComponent(id)}`, { method: "DELETE" });
}
