import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** Debian's Chromium, or why it is not there. */
export async function startBrowser(): Promise<Browser | string> {
  if (!existsSync(CHROMIUM)) return "the Debian package chromium is not installed";
  // Root has no sandbox.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: CHROMIUM, args });
}
