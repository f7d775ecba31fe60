import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import type { PageFiles } from "./bundle-page.ts";

export interface Stream {
  readonly text: string;
  readonly deltas: number;
  readonly perSecond: number;
}

export interface DeltaServer extends AsyncDisposable {
  readonly url: string;
}

/** That of the gateway, but for its socket. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; require-trusted-types-for 'script'; trusted-types sb-worker";
const index =
  '<!doctype html><html lang="en"><link rel="stylesheet" href="/page.css"><div id="place"></div><script type="module" src="/page.js"></script></html>';

/** Serves one page, under our policy if it is `strict`, and sends the text to it in deltas, then an empty message. */
export async function serveDeltas(
  page: PageFiles,
  stream: Stream,
  strict: boolean,
): Promise<DeltaServer> {
  const files = new Map([
    ["/", ["text/html; charset=utf-8", index]],
    ["/page.js", ["text/javascript; charset=utf-8", page.script]],
    ["/page.css", ["text/css; charset=utf-8", page.style]],
  ] as const);
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const [type, text] = files.get((request.url ?? "") as "/") ?? ["text/plain", ""];
    const headers = { "content-type": type, ...(strict && { "content-security-policy": policy }) };
    response.writeHead(text === "" ? 404 : 200, headers).end(text);
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    send(socket, stream).catch((error: unknown) => socket.close(1011, String(error).slice(0, 100)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function send(socket: WebSocket, { text, deltas, perSecond }: Stream): Promise<void> {
  const size = Math.ceil(text.length / deltas);
  const began = performance.now();
  for (let sent = 0; sent * size < text.length; sent++) {
    const due = began + (sent * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    socket.send(text.slice(sent * size, (sent + 1) * size));
  }
  socket.send("");
}
