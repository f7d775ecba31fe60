import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Suite } from "./harness.ts";
import { startBrowser } from "./web/browser.ts";
import { crowd } from "./web/crowd.ts";
import { eventToPaint } from "./web/event-to-paint.ts";
import { longTalk } from "./web/long-talk.ts";

const { BENCH_WEB_PARTS = "paint,long,crowd" } = process.env;
const parts = new Set(BENCH_WEB_PARTS.split(","));

/** The page in a real browser. Parts are in the folder beside this file. */
export default async function webSuite(): Promise<Suite> {
  const browser = await startBrowser();
  if (typeof browser === "string") {
    const absent = [{ name: "the page", reason: browser }];
    return {
      comparisons: [],
      surveys: [{ title: "The page", absent, measure: () => Promise.resolve([]) }],
    };
  }
  await buildPage();
  return {
    comparisons: [],
    surveys: [
      ...(parts.has("paint") ? await eventToPaint(browser) : []),
      ...(parts.has("long") ? longTalk(browser) : []),
      ...(parts.has("crowd") ? [crowd()] : []),
    ],
    close: () => browser.close(),
  };
}

/** The page is measured as it is shipped, and as its source is now. */
async function buildPage(): Promise<void> {
  const root = join(import.meta.dirname, "..");
  const npm = spawn("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error("npm run build failed.");
}
