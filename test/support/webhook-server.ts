import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface WebhookCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Record<string, unknown>;
}

/** What a call is answered with: a status, or nothing at all. */
export type WebhookAnswer =
  | number
  | "hang up"
  | { status: number; headers: Record<string, string> };

/** A service on loopback that takes webhooks. */
export class WebhookServer {
  readonly calls: WebhookCall[] = [];
  /** Asked for each call after it was taken down. */
  answer: (call: WebhookCall, count: number) => WebhookAnswer | Promise<WebhookAnswer> = () => 200;
  #port = 0;

  async start(): Promise<this> {
    const server = createServer((request, response) => void this.#take(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return this;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const call = { path: request.url ?? "", headers: request.headers, body };
    this.calls.push(call);
    const answer = await this.answer(call, this.calls.length);
    if (answer === "hang up") {
      request.socket.destroy();
      return;
    }
    const { status, headers } =
      typeof answer === "number" ? { status: answer, headers: {} } : answer;
    response.writeHead(status, headers).end("ok");
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The ids of what it was told, in order. */
  get ids(): string[] {
    return this.calls.map(({ headers }) => String(headers["idempotency-key"]));
  }
}
