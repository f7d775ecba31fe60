import { errorTable } from "../../wire/error-table.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import { LineSplitter } from "../../wire/lines.ts";
import type { Split } from "../../wire/splitter.ts";
import { refusal } from "./make-answer.ts";
import { ContractMode } from "./contract-mode.ts";
import { answerLocally } from "./local-answers.ts";
import { readMessage } from "./read-message.ts";
import type { Mode } from "./mode.ts";
import { warnOperator } from "./warn-operator.ts";
import { MAX_HELD_BYTES, Output } from "./write-to-stdout.ts";
import { OwnMode } from "./own-mode.ts";
import { readPatience } from "./host-wait-times.ts";
import { ToolList } from "./announced-tools.ts";

// The bridge process: an MCP server on standard input and output whose tools are in another process. A session waits
// for it to start, so it imports as little as possible, and nothing that loads zod. It is bundled as CommonJS, which
// Node loads some milliseconds sooner; class names must be kept.

const USAGE =
  "Pass the path of a socket and the path of a schema file; for own mode add own, and optionally how many milliseconds calls wait for an absent host.";

function start(): void {
  const [socketPath, schemaPath, kind, wait, ...more] = process.argv.slice(2);
  const patienceMs = readPatience(wait);
  const isKnown = ["own", undefined].includes(kind) && patienceMs !== undefined;
  if (!socketPath || !schemaPath || !isKnown || more.length > 0) {
    throw errorOf("bridge_startup", "The bridge's arguments are wrong.", { hint: USAGE });
  }
  const tools = new ToolList(schemaPath);
  const output = new Output(process.stdout);
  serve(
    tools,
    output,
    kind === "own"
      ? new OwnMode(socketPath, tools, output, { patienceMs })
      : new ContractMode(socketPath, tools, output),
  );
}

function serve(tools: ToolList, output: Output, mode: Mode): void {
  const take = (line: Split): void => {
    const read = line.ok ? readMessage(line.bytes) : line;
    if (!read.ok) return output.answer(null, refusal(read.error));
    const { message } = read;
    if (message.kind !== "request") return mode.pass(message);
    const answer = answerLocally(message, tools, mode.carries);
    if (!answer) return mode.call(message);
    output.answer(message.id, answer);
    if (message.method === "initialize") mode.begin(message);
  };

  const lines = new LineSplitter(MAX_HELD_BYTES);
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk).forEach(take));
  // The process that started the bridge is gone; open calls are not needed any more.
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("error", () => process.exit(errorTable.connection_lost.exit));
  process.stdout.on("error", () => process.exit(errorTable.connection_lost.exit));
}

try {
  start();
} catch (error) {
  warnOperator(error);
  process.exitCode = errorTable[error instanceof ClaudeCodeError ? error.code : "internal"].exit;
}
