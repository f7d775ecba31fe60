import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** A square picture that cannot be compressed, in base64: of 300 pixels it has 360,000 characters. */
export function noisePng(pixels: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  // Eight bits for each of red, green and blue.
  header.set([8, 2], 8);
  const rows = Array.from({ length: pixels }, () => [Buffer.alloc(1), randomBytes(3 * pixels)]);
  const data = deflateSync(Buffer.concat(rows.flat()));
  const parts = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]).toString("base64");
}

function chunk(type: string, data: Buffer): Buffer {
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const body = Buffer.concat([Buffer.from(type), data]);
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}
