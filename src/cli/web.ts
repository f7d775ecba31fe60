import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { replaceFile } from "../files/replace-file.ts";
import type { GatewayOptions } from "../gateway/run-gateway.ts";
import { runGateway } from "../gateway/run-gateway.ts";
import { createLogger } from "../log/logger.ts";
import { userName } from "../proc/current-user.ts";
import { userStateDirectory } from "../session/stored-sessions.ts";
import { controlSocket } from "../team/find-and-connect.ts";
import { errorOf } from "../wire/errors.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { outliveReader } from "./run.ts";
import type { TeamPlace } from "./team/find-team.ts";
import { connectOrFind, stateDirOption, teamOption } from "./team/find-team.ts";

interface WebFlags extends TeamPlace {
  observeSocket?: string;
  host?: string;
  port?: number;
  tlsCert?: string;
  tlsKey?: string;
  publicOrigin?: string;
  page?: string;
  linkFile?: string;
  json?: boolean;
}

const help = `
Only this machine can reach the gateway. From elsewhere, use one of these:
  ssh -L 8080:127.0.0.1:8080 HOST     with --port 8080
  tailscale serve 8080                with --port 8080 --public-origin https://NAME
  --host 0.0.0.0 --tls-cert FILE --tls-key FILE`;

/** `switchboard web [SOCKET]`: serves browsers until it is interrupted. */
export function webCommand(): Command {
  return new Command("web")
    .description("serve browsers: a gateway to a team, or to one session")
    .argument("[socket]", "the socket of one session; without it, a team is served")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--observe-socket <path>", "the session's socket for reading, for viewers")
    .option("--host <address>", "listen on this address (default: 127.0.0.1)")
    .option("--port <number>", "listen on this port (default: that of the last start)", portOf)
    .option("--tls-cert <file>", "speak TLS with this certificate, in PEM form")
    .option("--tls-key <file>", "the certificate's key, in PEM form")
    .option("--public-origin <origin>", "also answer under this address, such as https://NAME")
    .option("--page <dir>", "serve the built page in this directory")
    .option("--link-file <file>", "also write the link to this file, which only you can read")
    .option("--json", "print the link as one JSON object")
    .addHelpText("after", help)
    .action(serve);
}

async function serve(socket: string | undefined, flags: WebFlags): Promise<void> {
  using interruption = listenForInterruption();
  outliveReader();
  const { host, port, publicOrigin, page, linkFile } = flags;
  await using gateway = await runGateway({
    ...(await targetOf(socket, flags)),
    host,
    port,
    publicOrigin,
    page,
    tls: tlsOf(flags),
    logger: createLogger({ name: "gateway", fallback: "info" }),
  });
  const url = gateway.makeLink({ name: userName(), role: "owner" });
  if (linkFile !== undefined) replaceFile(linkFile, `${url}\n`, { durable: false });
  const { origin } = gateway;
  process.stdout.write(
    `${flags.json === true ? JSON.stringify({ type: "ready", origin, url }) : url}\n`,
  );
  await interruption.first;
}

type Place = Pick<GatewayOptions, "target" | "stateDir">;

async function targetOf(socket: string | undefined, flags: WebFlags): Promise<Place> {
  if (socket === undefined) {
    const { team, known } = await connectOrFind(flags);
    await team?.close();
    const { stateDir } = known;
    const target = { kind: "team", socket: controlSocket(stateDir) } as const;
    return { target, stateDir: join(stateDir, "web") };
  }
  const path = resolve(socket);
  const { observeSocket } = flags;
  const observed = observeSocket === undefined ? undefined : resolve(observeSocket);
  const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
  return {
    target: { kind: "session", socket: path, observeSocket: observed },
    stateDir: join(userStateDirectory(), "web", name),
  };
}

function tlsOf({ tlsCert, tlsKey }: WebFlags): GatewayOptions["tls"] {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined) return { certFile: tlsCert, keyFile: tlsKey };
  throw errorOf("invalid_params", "TLS needs both --tls-cert and --tls-key.");
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a number from 0 to 65535.");
}
