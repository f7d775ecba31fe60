// What any tool behind a Unix socket costs at least: frames, JSON, and nothing else. Argument: SOCKET.
import { createServer } from "node:net";
import { takeFrames, writeText } from "../frames.ts";
import { answerTo } from "../bare-answers.ts";

const server = createServer((socket) => {
  takeFrames(socket, (body) => {
    const answer = answerTo(body);
    if (answer) writeText(socket, JSON.stringify(answer));
  });
});
server.listen(process.argv[2], () => console.log("{}"));
process.stdin.resume().on("end", () => process.exit());
