import * as z from "zod";
import type { WireError } from "../../wire/error-schema.ts";
import type { GatewayLink } from "../../wire/gateway.ts";
import { NewLinkSchema } from "../sign-in/links.ts";

/** The name of the socket in a gateway's state directory. Only its user can connect. */
export const CONTROL_SOCKET = "gateway.sock";

/** What this machine's user may ask of a gateway, one JSON line each. Each gets one line as its answer. */
export const ControlRequestSchema = z.discriminatedUnion("type", [
  NewLinkSchema.extend({ type: z.literal("make_link"), maker: z.string().min(1) }),
  z.object({ type: z.literal("links") }),
  z.object({ type: z.literal("unlink"), id: z.string() }),
]);
export type ControlRequest = z.input<typeof ControlRequestSchema>;

/** The first line that a gateway says. */
export interface ControlHello {
  readonly type: "gateway";
  /** Where people open the page. */
  readonly origin: string;
  readonly serves: "team" | "session";
  readonly pid: number;
}

export type ControlAnswer =
  | { readonly type: "link"; readonly url: string; readonly link: GatewayLink }
  | { readonly type: "links"; readonly links: readonly GatewayLink[] }
  | { readonly type: "unlinked"; readonly id: string }
  | ({ readonly type: "error" } & WireError);
