import * as z from "zod";
import { checkClientName } from "../../wire/check-client-name.ts";
import type { GatewayLink } from "../../wire/gateway.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";
import type { PassStore } from "./pass-store.ts";
import type { Pass } from "./pass.ts";
import { SIGN_IN_MS } from "./pass.ts";

const MAX_NAME_LENGTH = 100;
const MINUTE_MS = 60_000;
/** A viewer's link ends some time, also when nobody says when. */
const VIEWER_MS = 24 * 60 * MINUTE_MS;

/** What an owner may say of a link that is to be made. */
export const NewLinkSchema = z.object({
  role: z.enum(["owner", "viewer"]).default("viewer"),
  name: z.string().min(1).max(MAX_NAME_LENGTH).optional(),
  for_ms: z.int().min(MINUTE_MS).max(SIGN_IN_MS).optional(),
});
export type NewLink = z.infer<typeof NewLinkSchema>;

/** A link that can be used once, and what the list says of it. */
export interface MadeLink {
  readonly url: string;
  readonly link: GatewayLink;
}

/**
 * Makes a link for somebody else, or a further one for its maker.
 *
 * @throws `invalid_params` for a name that no person can have; `queue_full` when there are too many.
 */
export function makeLinkFor(
  maker: string,
  { role, name, for_ms }: NewLink,
  passes: PassStore,
  origin: string,
): MadeLink {
  const said = name ?? (role === "owner" ? maker : `viewer of ${maker}`);
  const made = passes.make({
    role,
    name: checkClientName(said, [USER, SWITCHBOARD, "team"]),
    forMs: for_ms ?? (role === "viewer" ? VIEWER_MS : undefined),
  });
  return { url: linkUrl(origin, made.token), link: linkOf(made.pass) };
}

/** The token stands in the fragment, which a browser sends to no server and which is in no log of one. */
export const linkUrl = (origin: string, token: string): string => `${origin}/#enter=${token}`;

/** @param asking the id of the sign-in that asks, which the list marks. */
export const linkOf = (
  { id, name, role, madeAt, state }: Pass,
  asking?: Pass["id"],
): GatewayLink => ({
  id,
  name,
  role,
  state: state.kind,
  made_at: new Date(madeAt).toISOString(),
  expires_at: new Date(state.until).toISOString(),
  ...(state.kind === "used" && { seen_at: new Date(state.seenAt).toISOString() }),
  ...(id === asking && { yours: true }),
});
