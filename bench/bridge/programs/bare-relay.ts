// The least that any process between a client and a socket can do: lines become frames, frames become
// lines, and nothing is looked at. Argument: SOCKET.
import { createConnection } from "node:net";
import { takeFrames, writeBody } from "../frames.ts";
import { takeLines } from "../lines.ts";

const NEWLINE = 0x0a;
const LINE_END = Buffer.of(NEWLINE);
/** From here on a second write costs less than a copy. */
const LARGE_BYTES = 65_536;

const socket = createConnection(process.argv[2]!);
takeLines(process.stdin, (line) => writeBody(socket, line));
takeFrames(socket, (body) => {
  if (body.length < LARGE_BYTES) {
    process.stdout.write(Buffer.concat([body, LINE_END]));
  } else {
    process.stdout.write(body);
    process.stdout.write(LINE_END);
  }
});
process.stdin.on("end", () => process.exit());
