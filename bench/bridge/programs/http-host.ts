// The other end of relays that speak HTTP: without a library, so that what is measured is the relay.
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo } from "../bare-answers.ts";

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    // Other methods ask for a stream from this side, and there is none.
    if (request.method === "POST") answer(Buffer.concat(parts), response);
    else response.writeHead(405).end();
  });
});

function answer(request: Buffer, response: ServerResponse): void {
  const message = answerTo(request);
  if (message) {
    const body = Buffer.from(JSON.stringify(message));
    const headers = { "content-type": "application/json", "content-length": body.length };
    response.writeHead(200, headers).end(body);
  } else {
    response.writeHead(202).end();
  }
}

server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` }));
});
process.stdin.resume().on("end", () => process.exit());
