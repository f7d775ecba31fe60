import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

/** The way between a browser and everything: a proxy that can be cut. */
export class CuttableNetwork implements AsyncDisposable {
  readonly #pairs = new Set<Duplex>();
  readonly #server = createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (this.isDown) {
      response.destroy();
      return;
    }
    const onward = httpRequest(url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  /** Nothing gets through. */
  isDown = false;

  static async open(): Promise<CuttableNetwork> {
    const network = new CuttableNetwork();
    network.#server.on("connect", ({ url = "" }, socket, head) =>
      network.#tunnel(url, socket, head),
    );
    network.#server.listen(0, "127.0.0.1");
    await once(network.#server, "listening");
    return network;
  }

  /** With these the browser uses it for loopback too. */
  get chromiumArgs(): readonly string[] {
    const { port } = this.#server.address() as AddressInfo;
    return [`--proxy-server=http://127.0.0.1:${port}`, "--proxy-bypass-list=<-loopback>"];
  }

  /** Cuts every open WebSocket, without a word. Returns how many there were. */
  cut(): number {
    const count = this.#pairs.size;
    for (const socket of this.#pairs) socket.destroy();
    return count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #tunnel(target: string, browser: Duplex, head: Buffer): void {
    const [host = "", port = ""] = target.split(":");
    if (this.isDown) {
      browser.destroy();
      return;
    }
    const onward: Socket = connect({ host, port: Number(port) }, () => {
      browser.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(browser).pipe(onward);
    });
    this.#pairs.add(browser);
    const end = (): void => {
      this.#pairs.delete(browser);
      browser.destroy();
      onward.destroy();
    };
    browser.on("error", end).on("close", end);
    onward.on("error", end).on("close", end);
  }
}
