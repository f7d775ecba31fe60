import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

/** A server before a gateway that people reach by plain http under a name which is not this machine's. */
export class PlainFront implements AsyncDisposable {
  static readonly name = "front.test";
  static readonly chromiumArgs = [`--host-resolver-rules=MAP ${PlainFront.name} 127.0.0.1`];
  readonly #behind: URL;
  readonly #server = createServer((request, response) => {
    const onward = this.#forward(request);
    onward.on("response", (answer) => {
      // Chromium takes it over https only, and says so.
      const { "cross-origin-opener-policy": _coop, ...fields } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, fields);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });

  private constructor(behind: string) {
    this.#behind = new URL(behind);
  }

  static async before(origin: string): Promise<PlainFront> {
    const front = new PlainFront(origin);
    front.#server.on("upgrade", (request, socket) => {
      const onward = front.#forward(request);
      onward.on("upgrade", ({ rawHeaders }, far) => {
        const fields = Array.from({ length: rawHeaders.length / 2 }, (_, at) =>
          rawHeaders.slice(2 * at, 2 * at + 2).join(": "),
        );
        socket.write(["HTTP/1.1 101 Switching Protocols", ...fields, "", ""].join("\r\n"));
        for (const end of [far, socket]) end.on("error", () => {});
        far.pipe(socket).pipe(far);
      });
      onward.on("response", () => socket.destroy());
      onward.on("error", () => socket.destroy());
      onward.end();
    });
    front.#server.listen(0, "127.0.0.1");
    await once(front.#server, "listening");
    return front;
  }

  get origin(): string {
    return `http://${PlainFront.name}:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** As if it had been asked under the gateway's own name. */
  #forward({ url = "/", method, headers }: Asked) {
    const { host, origin } = this.#behind;
    const asOwn = { ...headers, host, ...(headers.origin !== undefined && { origin }) };
    return httpRequest(new URL(url, origin), { method, headers: asOwn, agent: false });
  }
}

interface Asked {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}
