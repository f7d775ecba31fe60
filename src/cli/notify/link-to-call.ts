import { GatewayControl } from "../../gateway/control/gateway-control.ts";
import type { News } from "../../notify/run-notifier.ts";
import { userName } from "../../proc/current-user.ts";
import type { LinkKind } from "./notify-options.ts";

/** A link that came in a message should not sign anybody in for a month. */
const SIGN_IN_MS = 86_400_000;

/** Makes links to the page that a gateway serves: at the call, where one waits. */
export const linkMaker =
  (webDir: string, kind: LinkKind) =>
  async ({ request_id: call }: News): Promise<string | undefined> => {
    if (kind === "none") return undefined;
    await using gateway = await GatewayControl.open(webDir);
    if (!gateway) return undefined;
    const url = new URL(kind === "plain" ? gateway.hello.origin : await signedLink(gateway, kind));
    url.pathname = call === undefined ? "/talk" : `/calls/${encodeURIComponent(call)}`;
    return url.href;
  };

async function signedLink(gateway: GatewayControl, role: "owner" | "viewer"): Promise<string> {
  const made = await gateway.makeLink({ maker: userName(), role, for_ms: SIGN_IN_MS });
  return made.url;
}
