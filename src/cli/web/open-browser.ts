import { join } from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { Environment } from "../../proc/child-environment.ts";
import { findCommand } from "../../proc/find-command.ts";
import { startChild } from "../../proc/start-child.ts";

/**
 * Opens a link in the person's browser, if there is a program for it. Everybody on the machine can read the arguments of
 * processes, so the link goes by way of a file that only its owner can read. Never fails: the link was printed too.
 */
export function openBrowser(url: string, directory: string, env: Environment): void {
  try {
    const command = findCommand("xdg-open", env["PATH"] ?? "");
    if (command === undefined) return;
    const file = join(directory, "open.html");
    replaceFile(file, pageThatOpens(url), { durable: false });
    startChild({ command, args: [file], env, linger: true, stdio: "ignore" });
  } catch {
    // Without a browser, as on a server.
  }
}

const pageThatOpens = (url: string): string => `<!doctype html>
<meta charset="utf-8" />
<meta name="referrer" content="no-referrer" />
<meta http-equiv="refresh" content="0; url=${url}" />
<title>Switchboard</title>
`;
