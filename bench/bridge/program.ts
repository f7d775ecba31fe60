import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { environment } from "./command.ts";

/** A program of this folder that runs beside the bench, with the line by which it said that it is ready. */
export interface Program<Ready> {
  ready: Ready;
  close(): Promise<void>;
}

export async function startProgram<Ready>(url: URL, ...args: string[]): Promise<Program<Ready>> {
  const child = spawn(process.execPath, [url.pathname, ...args], {
    env: environment,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const ready = JSON.parse(await firstLine(child.stdout)) as Ready;
  return {
    ready,
    async close() {
      child.stdin.end();
      await exit;
    },
  };
}

async function firstLine(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes("\n")) return text;
  }
  throw new Error("A program of the bench ended before it was ready.");
}
