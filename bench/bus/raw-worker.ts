// The plain table behind a thread that does nothing else: what a message costs at least that does not
// keep the main loop waiting for the disk.
import { parentPort, workerData } from "node:worker_threads";
import type { CCMessage } from "../../src/wire/team/messages.ts";
import { RawTable } from "./raw-table.ts";

const table = new RawTable(workerData as string);
parentPort?.on("message", (message: CCMessage) => {
  table.insert([message]);
  parentPort?.postMessage(message.id, []);
});
parentPort?.postMessage("ready", []);
