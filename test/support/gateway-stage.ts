import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { GatewayOptions, RunningGateway } from "../../src/gateway/run-gateway.ts";
import { runGateway } from "../../src/gateway/run-gateway.ts";
import { listen } from "../../src/net/listen.ts";
import { GATEWAY_PROTOCOL, KEY_HEADER } from "../../src/wire/gateway.ts";
import { HandClock } from "./hand-clock.ts";
import { tempDir } from "./temp-dir.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string;
  readonly origin?: string;
}

/** Both halves of a sign-in. */
export interface Keys {
  readonly cookie: string;
  readonly key: string;
}

/** A gateway in this process, and the ways in which programs and pages reach it. */
export class GatewayStage {
  readonly clock: HandClock;
  readonly gateway: RunningGateway;
  readonly stateDir: string;

  constructor(gateway: RunningGateway, clock: HandClock, stateDir: string) {
    this.gateway = gateway;
    this.clock = clock;
    this.stateDir = stateDir;
  }

  static async start(options: Partial<GatewayOptions> = {}): Promise<GatewayStage> {
    const clock = (options.clock as HandClock | undefined) ?? new HandClock();
    const stateDir = options.stateDir ?? join(tempDir(), "web");
    const target = { kind: "session", socket: "/nonexistent/s.sock" } as const;
    const gateway = await runGateway({ target, ...options, stateDir, clock });
    onTestFinished(() => gateway.close());
    return new GatewayStage(gateway, clock, stateDir);
  }

  get host(): string {
    return `127.0.0.1:${this.gateway.port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** A request with the right Host, unless the headers say something else. */
  ask(path: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.gateway.port, path, {
      ...options,
      headers: { host: this.host, ...options.headers },
    });
  }

  /** A request as the page makes it. */
  askAs(keys: Partial<Keys>, path: string, options: AskOptions = {}): Promise<Answer> {
    return this.ask(path, { ...options, headers: { ...this.headersOf(keys), ...options.headers } });
  }

  headersOf({ cookie, key }: Partial<Keys>): Record<string, string> {
    return {
      origin: this.origin,
      ...(cookie !== undefined && { cookie }),
      ...(key !== undefined && { [KEY_HEADER]: key }),
    };
  }

  enter(token: string): Promise<Answer> {
    const body = JSON.stringify({ token });
    return this.ask("/auth/enter", { method: "POST", headers: { origin: this.origin }, body });
  }

  async signIn(wanted: Parameters<RunningGateway["makeLink"]>[0] = owner): Promise<Keys> {
    return keysOf(await this.enter(tokenOf(this.gateway.makeLink(wanted))));
  }

  /** A WebSocket as the page opens it. */
  browse(
    path: string,
    { cookie, key }: Partial<Keys>,
    headers: Record<string, string> = {},
  ): Browser {
    const protocols = [GATEWAY_PROTOCOL, ...(key === undefined ? [] : [`sb.${key}`])];
    const socket = new WebSocket(`ws://127.0.0.1:${this.gateway.port}${path}`, protocols, {
      origin: this.origin,
      headers: { ...(cookie !== undefined && { cookie }), ...headers },
    });
    return new Browser(socket);
  }
}

export const owner = { name: "anna", role: "owner" } as const;
export const viewer = { name: "bob", role: "viewer", forMs: 3_600_000 } as const;

export const tokenOf = (url: string): string => new URL(url).hash.replace("#enter=", "");

export function keysOf({ headers, body }: Answer): Keys {
  const [cookie = ""] = (headers["set-cookie"]?.[0] ?? "").split(";");
  return { cookie, key: (JSON.parse(body) as { key: string }).key };
}

export function ask(port: number, path: string, options: AskOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers, agent: false });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, headers: got } = response;
        resolve({ status, headers: got, body: Buffer.concat(chunks).toString("latin1") });
      });
    });
    request.end(body);
  });
}

/** One WebSocket, and all that came over it. */
export class Browser {
  readonly socket: WebSocket;
  readonly frames: Buffer[] = [];
  /** The code and the reason of the close; the HTTP status when there was no handshake. */
  readonly ended: Promise<{ code: number; reason: string } | { status: number }>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    onTestFinished(() => socket.terminate());
    socket.on("message", (data) => this.frames.push(data as Buffer));
    socket.on("error", () => {});
    this.ended = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
      socket.once("unexpected-response", (_request, response) => {
        resolve({ status: response.statusCode ?? 0 });
        socket.terminate();
      });
    });
  }

  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, "open");
    return this;
  }

  get texts(): string[] {
    return this.frames.map((frame) => frame.toString());
  }
}

/** A server on a Unix socket that does only what the test says. */
export class LineServer {
  readonly path: string;
  readonly sockets: Socket[] = [];
  readonly received: Buffer[] = [];
  onConnection: (socket: Socket) => void = () => {};
  #close: () => Promise<void> = async () => {};

  constructor(path = join(tempDir(), "s.sock")) {
    this.path = path;
  }

  async start(): Promise<this> {
    const listener = await listen({
      path: this.path,
      onConnection: (socket) => {
        this.sockets.push(socket);
        socket.on("data", (chunk) => this.received.push(chunk));
        socket.on("end", () => socket.end());
        this.onConnection(socket);
      },
    });
    this.#close = () => listener.close();
    onTestFinished(() => listener.close());
    return this;
  }

  stop(): Promise<void> {
    return this.#close();
  }

  get text(): string {
    return Buffer.concat(this.received).toString();
  }
}

/** Sends bytes as they are, and returns all that comes back. */
export function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    let answer = "";
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.write(text);
  });
}

/** A directory with the files that a built page has. */
export function pageDir(): string {
  const directory = tempDir();
  writeFileSync(join(directory, "index.html"), "<!doctype html><title>page</title>");
  return directory;
}
