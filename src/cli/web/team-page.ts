import { setTimeout as delay } from "node:timers/promises";
import { userName } from "../../proc/current-user.ts";
import { GatewayControl } from "../../gateway/control/gateway-control.ts";
import { toWire } from "../../wire/error-wire.ts";
import { isPageBuilt, pageNotBuilt } from "./built-page.ts";
import { KeptGateway, webDirectory } from "./kept-gateway.ts";
import type { WebOptions } from "./web-options.ts";

export interface TeamPage extends AsyncDisposable {
  /** A link for the person who started the team. Undefined when the page is not served; then it was said why. */
  readonly link: Promise<string | undefined>;
}

const none: TeamPage = {
  link: Promise.resolve(undefined),
  async [Symbol.asyncDispose]() {},
};

/**
 * Serves the page of a team from a process of its own, until it is disposed of. Whatever happens to it, the team goes on.
 *
 * @param tell gets a line for the person when the page cannot be served.
 */
export function servePage(
  stateDir: string,
  { web = true, port }: WebOptions,
  tell: (line: string) => void,
): TeamPage {
  if (!web) return none;
  if (!isPageBuilt()) {
    tell(withHint(pageNotBuilt()));
    return none;
  }
  const onTrouble = (said: string): void =>
    tell(`The page is away, and is tried again. ${said}`.trim());
  const gateway = new KeptGateway({ stateDir, port, onTrouble });
  return { link: firstLink(gateway, stateDir, tell), [Symbol.asyncDispose]: () => gateway.close() };
}

async function firstLink(
  gateway: KeptGateway,
  stateDir: string,
  tell: (line: string) => void,
): Promise<string | undefined> {
  try {
    const first = await gateway.start();
    if (first.ok) return await linkToTeam(stateDir);
    if (!gateway.isClosed) tell(`The page is not served. ${first.said}`);
  } catch (error) {
    if (!gateway.isClosed) tell(`The page is not served. ${toWire(error).message}`);
  }
  return undefined;
}

const SERVED_WITHIN_MS = 10_000;
const POLL_MS = 50;

/** The link to the page of a team that another process has just started. Undefined when none is served in time. */
export async function linkOnceServed(stateDir: string): Promise<string | undefined> {
  const deadline = performance.now() + SERVED_WITHIN_MS;
  while (performance.now() < deadline) {
    // The gateway may begin or end at this moment.
    const link = await linkToTeam(stateDir).catch(() => undefined);
    if (link !== undefined) return link;
    await delay(POLL_MS);
  }
  return undefined;
}

/** A new link for this user to the page of a team; undefined when no gateway serves it. */
export async function linkToTeam(stateDir: string): Promise<string | undefined> {
  await using gateway = await GatewayControl.open(webDirectory(stateDir));
  const maker = userName();
  return (await gateway?.makeLink({ maker, role: "owner", name: maker }))?.url;
}

const withHint = ({ message, hint }: { message: string; hint?: string | undefined }): string =>
  [message, hint].filter(Boolean).join(" ");
