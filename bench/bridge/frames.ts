import type { Socket } from "node:net";

// Frames by hand, as tight as they can be: the yardstick must owe nothing to our own codecs.

const HEADER_BYTES = 4;

/** From here on a second write costs less than a copy. */
const LARGE_BYTES = 65_536;

export function writeText(socket: Socket, text: string): void {
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  frame.writeUInt32BE(bytes);
  frame.write(text, HEADER_BYTES);
  socket.write(frame);
}

export function writeBody(socket: Socket, body: Buffer): void {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(body.length);
  if (body.length < LARGE_BYTES) return void socket.write(Buffer.concat([header, body]));
  socket.write(header);
  socket.write(body);
}

export function takeFrames(socket: Socket, take: (body: Buffer) => void): void {
  let parts: Buffer[] = [];
  let heldBytes = 0;
  socket.on("data", (chunk: Buffer) => {
    parts.push(chunk);
    heldBytes += chunk.length;
    while (heldBytes >= HEADER_BYTES) {
      if (parts[0]!.length < HEADER_BYTES) parts = [Buffer.concat(parts)];
      const endBytes = HEADER_BYTES + parts[0]!.readUInt32BE();
      if (heldBytes < endBytes) return;
      const held = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
      take(held.subarray(HEADER_BYTES, endBytes));
      heldBytes -= endBytes;
      parts = heldBytes > 0 ? [held.subarray(endBytes)] : [];
    }
  });
}
