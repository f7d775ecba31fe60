import type { Browser } from "playwright-core";
import { chromium } from "playwright-core";

/** Debian's browser. As root it starts only without its sandbox. */
export const startChromium = (...args: string[]): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [...(process.getuid?.() === 0 ? ["--no-sandbox"] : []), ...args],
  });
