import { join } from "node:path";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { describeFileError } from "../files/describe-file-error.ts";
import type { Logger } from "../log/logger.ts";
import { createLogger } from "../log/logger.ts";
import { makeOwnDirectory } from "../net/socket-file/own-directory.ts";
import type { Clock } from "../time/clock.ts";
import { backgroundClock } from "../time/clock.ts";
import { ControlSocket } from "./control/control-socket.ts";
import { gatewayApp } from "./http/gateway-routes.ts";
import type { Exposure } from "./http/hosts-and-origins.ts";
import { originFor, originsOf } from "./http/hosts-and-origins.ts";
import { checkExposure } from "./http/refuse-plain-text.ts";
import { admit, boundedServer, listenOn, readCertificate } from "./http/bounded-http-server.ts";
import { readStaticFiles } from "./http/static-files.ts";
import { createUpgrade } from "./http/websocket-upgrade.ts";
import { Counts } from "./relay/traffic-counts.ts";
import { OpenSockets } from "./relay/open-sockets.ts";
import type { GatewayTarget } from "./relay/find-upstream.ts";
import { PassStore } from "./sign-in/pass-store.ts";
import { readMemory, writeMemory } from "./sign-in/pass-file.ts";
import type { NewPass } from "./sign-in/pass.ts";
import { linkUrl } from "./sign-in/links.ts";
import { WrongKeys } from "./sign-in/count-wrong-keys.ts";

export interface GatewayOptions {
  readonly target: GatewayTarget;
  /** Where the gateway remembers sign-ins; made when it is missing, for this user alone. */
  readonly stateDir: string;
  /** By default 127.0.0.1. Any other machine can only reach it with TLS or a public origin. */
  readonly host?: string | undefined;
  /** By default the port of the last start, else a free one. */
  readonly port?: number | undefined;
  /** Files in PEM form. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly publicOrigin?: string | undefined;
  /** The directory of the built page. Without it there are only the sockets and the routes for programs. */
  readonly page?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** How long a request may take to arrive. */
  readonly requestMs?: number | undefined;
  /** How long a response may stand still because nobody reads it; by default a minute. */
  readonly idleMs?: number | undefined;
}

export interface RunningGateway extends AsyncDisposable {
  /** Where people open the page. */
  readonly origin: string;
  readonly port: number;
  /** Makes a link that can be used once. The person who opens it is signed in. */
  makeLink(wanted: NewPass): string;
  /** Says good-bye to all browsers, in bounded time. Idempotent. */
  close(): Promise<void>;
}

const REQUEST_MS = 10_000;
const SWEEP_MS = 60_000;
const GOODBYE_MS = 1_000;
const GOING_AWAY = 1001;

/**
 * Serves browsers: the page, signing in, and WebSockets to a team or a session. It keeps nothing of them but who is signed
 * in, so that it may be killed and started again at any time.
 *
 * @throws `exposed_without_tls`; `invalid_params` for a page, a certificate or an origin that cannot be used;
 * `socket_in_use` for a port that is taken, or when another gateway has the state directory; `unsafe_place` for the state
 * directory; the system's error when the sign-ins cannot be written.
 */
export async function runGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { target, stateDir, host = "127.0.0.1", clock = backgroundClock } = options;
  const logger = options.logger ?? createLogger({ name: "gateway" });
  const tls = options.tls && readCertificate(options.tls.certFile, options.tls.keyFile);
  const exposure: Exposure = { host, certificate: tls?.cert, publicOrigin: options.publicOrigin };
  checkExposure(exposure);
  const files =
    options.page === undefined ? new Map<never, never>() : readStaticFiles(options.page);
  makeOwnDirectory(stateDir);
  await using undo = new AsyncDisposableStack();
  const control = undo.use(await ControlSocket.take(stateDir));
  const file = join(stateDir, "sign-ins.json");
  let memory = readMemory(file, logger);

  const server = boundedServer(tls, options.requestMs ?? REQUEST_MS, options.idleMs);
  const port = await listenOn(server, host, options.port, memory.port);
  undo.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  memory = { ...memory, port };
  writeMemory(file, memory);
  const origins = originsOf(exposure, port);
  const origin = originFor(exposure, port);
  const sockets = new OpenSockets();
  const counts = new Counts();
  const passes = new PassStore({
    memory,
    keep: (kept) => writeMemory(file, kept),
    onKeepFailed: (cause) =>
      logger.warn({ path: file, why: describeFileError(cause) }, "The sign-ins cannot be written."),
    wallMs: () => clock.wallMs(),
    onEnd: (id) => sockets.closeOf(id),
  });
  const wrongKeys = new WrongKeys(() => clock.steadyMs());
  const parts = {
    target,
    passes,
    wrongKeys,
    sockets,
    counts,
    files,
    origins: () => origins,
    origin: () => origin,
  };
  const app = getRequestListener(gatewayApp(parts, logger).fetch, { overrideGlobalObjects: false });
  const upgrade = createUpgrade({ ...parts, timers: clock, logger });
  const connections = new Set<Duplex>();
  server.on("connection", (socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (request, response) => {
    if (admit(request, response, origins, counts)) void app(request, response);
  });
  server.on("upgrade", upgrade);
  let stopSweep = clock.after(SWEEP_MS, sweep);
  function sweep(): void {
    stopSweep = clock.after(SWEEP_MS, sweep);
    for (const id of sockets.passIds) passes.touch(id);
    passes.sweep();
  }
  control.serve({ passes, origin, serves: target.kind });
  logger.info({ port, serves: target.kind }, "The gateway listens.");

  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    stopSweep();
    const ended = new Promise((resolve) => server.close(resolve));
    sockets.closeAll(GOING_AWAY, "The gateway ends.");
    server.closeIdleConnections();
    const timer = setTimeout(() => {
      for (const socket of connections) socket.destroy();
    }, GOODBYE_MS);
    await ended;
    clearTimeout(timer);
    await control.close();
  };
  undo.move();
  return {
    origin,
    port,
    makeLink: (wanted) => linkUrl(origin, passes.make(wanted).token),
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}
