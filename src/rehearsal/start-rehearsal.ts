import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { serveControl } from "./serve-control.ts";
import { Journal } from "./journal.ts";
import { HttpListener } from "./restartable-listener.ts";
import { checkScript } from "./load-script.ts";
import { errorBody } from "./messages-api.ts";
import { serveModel } from "./model-endpoint.ts";
import type { ScriptFunction } from "./play-script.ts";
import { Play } from "./play-script.ts";
import { routeOf } from "./route-of-path.ts";
import type { ScriptInput } from "./script-schema.ts";
import { sendJson } from "./send-json.ts";
import type { RehearsalContext } from "./rehearsal-context.ts";

export interface RehearsalOptions {
  /** Rules, or a function. `loadScript` reads either from a file. */
  script: ScriptInput | ScriptFunction;
  /** 0, the default, takes any free port. */
  port?: number;
  /** Every event is appended here as a line of JSON. */
  journalFile?: string;
}

export interface Rehearsal extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  url: string;
  journal: Journal;
  /** How long no request has come. */
  readonly idleMs: number;
  /** Plays another script from its beginning; the old one answers open requests. */
  setScript(script: ScriptInput | ScriptFunction): void;
  /** Stops listening and ends open connections. */
  close(): Promise<void>;
}

/**
 * Serves a script on 127.0.0.1. Rejects with `script_invalid`, with `socket_in_use` when the port is taken, or with
 * `invalid_params` when the journal cannot be written.
 */
export async function startRehearsal(options: RehearsalOptions): Promise<Rehearsal> {
  const journal = new Journal(randomUUID(), options.journalFile);
  let play = new Play(checkScript(options.script));
  const stage: RehearsalContext = {
    journal,
    get play() {
      return play;
    },
    setScript(script) {
      play = new Play(checkScript(script));
      journal.record({ type: "script_changed", script: play.script.name ?? "" });
    },
    refuse: (forMs) => listener.refuse(forMs),
  };
  // This side never closes a kept-alive connection, because the next request might be on its way.
  let askedAtMs = performance.now();
  let open = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    open += 1;
    response.once("close", () => {
      open -= 1;
      askedAtMs = performance.now();
    });
    void serve(stage, listener, request, response);
  });
  const listener = await HttpListener.open(server, options.port ?? 0);
  const url = `http://127.0.0.1:${listener.port}`;
  journal.record({ type: "started", url, script: play.script.name ?? "" });
  return {
    url,
    journal,
    get idleMs() {
      return open > 0 ? 0 : performance.now() - askedAtMs;
    },
    setScript: (script) => stage.setScript(script),
    close: () => listener.close(),
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

async function serve(
  stage: RehearsalContext,
  listener: HttpListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const route = routeOf(request.url ?? "/");
    if (isFromBrowser(request)) sendJson(response, 403, notForBrowsers);
    else if (route.to === "control") await serveControl(stage, route, request, response);
    else if (listener.isRefusing) request.socket.resetAndDestroy();
    else await serveModel(stage, route, request, response);
  } catch (error) {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendJson(response, 500, errorBody("api_error", String(error)));
  }
}

const notForBrowsers = errorBody("permission_error", "A rehearsal does not talk to web pages.");

/**
 * A web page must not read journals or change scripts, neither directly nor through a name that resolves to loopback.
 */
function isFromBrowser({ headers }: IncomingMessage): boolean {
  const isLoopback = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(headers.host ?? "");
  return !isLoopback || headers.origin !== undefined;
}
