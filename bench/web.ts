import type { Suite } from "./harness.ts";
import { startBrowser } from "./web/browser.ts";
import { eventToPaint } from "./web/event-to-paint.ts";

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
  return {
    comparisons: [],
    surveys: await eventToPaint(browser),
    close: () => browser.close(),
  };
}
