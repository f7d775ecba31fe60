import type { IncomingMessage } from "node:http";

/** The API's own limit. */
const maxBodyBytes = 32 * 1024 * 1024;

/** The body as text, or undefined when it is over the limit (the rest is read and discarded). */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size <= maxBodyBytes ? Buffer.concat(chunks).toString("utf8") : undefined;
}
