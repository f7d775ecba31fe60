import { Command, Option } from "commander";
import { replaceFile } from "../files/replace-file.ts";
import { GatewayControl } from "../gateway/control/gateway-control.ts";
import type { GatewayOptions } from "../gateway/run-gateway.ts";
import { runGateway } from "../gateway/run-gateway.ts";
import { createLogger } from "../log/logger.ts";
import { userName } from "../proc/current-user.ts";
import { errorOf } from "../wire/errors.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { outliveReader } from "./run.ts";
import { stateDirOption, teamOption } from "./team/find-team.ts";
import { isPageBuilt, pageNotBuilt, shippedPage } from "./web/built-page.ts";
import { linkCommand, linksCommand, unlinkCommand } from "./web/link-commands.ts";
import { openBrowser } from "./web/open-browser.ts";
import { portOf } from "./web/web-options.ts";
import type { WebPlace } from "./web/web-place.ts";
import { placeOf } from "./web/web-place.ts";

interface WebFlags extends WebPlace {
  host?: string;
  port?: number;
  tlsCert?: string;
  tlsKey?: string;
  publicOrigin?: string;
  page?: string;
  link?: boolean;
  linkFile?: string;
  open?: boolean;
  json?: boolean;
}

const help = `
Examples:
  switchboard web                        the page of a team ('switchboard up'
                                         serves it by itself)
  switchboard web ./session.sock         the page of one session of agent-socket
  switchboard web link                   a new link to the page that runs
  switchboard web link --viewer --for 24h
                                         a link for somebody who may only look

Who opens a link can run commands as you. Only this machine can reach the page.
From elsewhere, use one of these:
  ssh -L 8080:127.0.0.1:8080 HOST        with --port 8080
  tailscale serve 8080                   with --port 8080
                                         --public-origin https://NAME
  --host 0.0.0.0 --tls-cert FILE --tls-key FILE`;

/** `switchboard web [SOCKET]`: serves the page until it is interrupted. */
export function webCommand(): Command {
  return (
    new Command("web")
      .description("see and steer a team, or one session, in a browser")
      .argument("[socket]", "the socket of one session; without it, a team is served")
      .enablePositionalOptions()
      .addOption(teamOption())
      .addOption(stateDirOption())
      .option("--observe-socket <path>", "the session's socket for reading, for viewers")
      .option("--host <address>", "listen on this address (default: 127.0.0.1)")
      .option("--port <number>", "listen on this port (default: that of the last start)", portOf)
      .option("--tls-cert <file>", "speak TLS with this certificate, in PEM form")
      .option("--tls-key <file>", "the certificate's key, in PEM form")
      .option("--public-origin <origin>", "also answer under this address, such as https://NAME")
      .option("--page <dir>", "serve the built page in this directory (default: the package's own)")
      .option("--link-file <file>", "also write the link to this file, which only you can read")
      .option("--open", "open the page in the browser")
      .option("--json", "print the link as one JSON object")
      // For the process that keeps the gateway of a team: it asks for links when it wants some.
      .addOption(new Option("--no-link").hideHelp())
      .addHelpText("after", help)
      .addCommand(linkCommand())
      .addCommand(linksCommand())
      .addCommand(unlinkCommand())
      .helpCommand(false)
      .action(serve)
  );
}

async function serve(socket: string | undefined, flags: WebFlags): Promise<void> {
  using interruption = listenForInterruption();
  outliveReader();
  const place = await placeOf(socket, flags);
  if (await tellOfRunning(place.stateDir, flags)) return;
  const { host, port, publicOrigin, page = shippedPage } = flags;
  if (flags.page === undefined && !isPageBuilt()) throw pageNotBuilt();
  await using gateway = await runGateway({
    ...place,
    host,
    port,
    publicOrigin,
    page,
    tls: tlsOf(flags),
    logger: createLogger({ name: "gateway", fallback: "info" }),
  });
  const wanted = { name: userName(), role: "owner" } as const;
  const url = flags.link === false ? undefined : gateway.makeLink(wanted);
  tell({ origin: gateway.origin, url }, flags, place.stateDir);
  await interruption.first;
}

/** A second gateway would be in the way of the first one, which is as good. */
async function tellOfRunning(stateDir: string, flags: WebFlags): Promise<boolean> {
  await using running = await GatewayControl.open(stateDir);
  if (!running) return false;
  const maker = userName();
  const wanted = { maker, role: "owner", name: maker } as const;
  const url = flags.link === false ? undefined : (await running.makeLink(wanted)).url;
  const { origin, pid } = running.hello;
  if (flags.link !== false) {
    process.stderr.write(`Process ${pid} serves it already; this is a new link to it.\n`);
  }
  tell({ origin, url, elsewhere: true }, flags, stateDir);
  return true;
}

interface Told {
  readonly origin: string;
  readonly url: string | undefined;
  readonly elsewhere?: true;
}

function tell(told: Told, { json, linkFile, open }: WebFlags, stateDir: string): void {
  const { url } = told;
  if (url !== undefined && linkFile !== undefined)
    replaceFile(linkFile, `${url}\n`, { durable: false });
  const line = json === true ? JSON.stringify({ type: "ready", ...told }) : (url ?? told.origin);
  process.stdout.write(`${line}\n`);
  if (url !== undefined && open === true) openBrowser(url, stateDir, process.env);
}

function tlsOf({ tlsCert, tlsKey }: WebFlags): GatewayOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  throw errorOf("invalid_params", "TLS needs both --tls-cert and --tls-key.");
}
