import { join } from "node:path";
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

const watcher = join(import.meta.dirname, "pages/watch-page.js");
const viewport = { width: 1_440, height: 900 };
const PLAIN_LINES = 4_000;

/** What `scrollUp` of pages/watch-page.js has seen. */
export interface Scrolled {
  readonly pixels: number;
  readonly frames: number;
  readonly dropped: number;
  readonly waitedMs: number;
  readonly isWhole: boolean;
}

interface Watcher {
  painted(words: string): Promise<number>;
  showPlainText(lines: number): void;
  scrollUp(pixelsPerSecond: number, seconds: number): Promise<Scrolled>;
}

/** Our page in a browser of one person, signed in and at its conversation. */
export class OurPage implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #origin: string;

  private constructor(context: BrowserContext, page: Page, cdp: CDPSession, origin: string) {
    this.#context = context;
    this.#page = page;
    this.#cdp = cdp;
    this.#origin = origin;
  }

  static async open(browser: Browser, link: string): Promise<OurPage> {
    const context = await browser.newContext({ viewport });
    await context.addInitScript({ path: watcher });
    const page = await context.newPage();
    await page.goto(link);
    await page.locator('footer [data-link="live"]').waitFor({ state: "attached" });
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable");
    return new OurPage(context, page, cdp, new URL(link).origin);
  }

  /** Loads the page again. Returns how long it took from the navigation until the words were painted. */
  async load(words: string): Promise<number> {
    await this.#page.goto(`${this.#origin}/talk`, { waitUntil: "commit" });
    return this.shows(words);
  }

  /** Resolves when the words are painted. */
  shows(words: string): Promise<number> {
    return this.#page.evaluate(
      (wanted) => (globalThis as unknown as Watcher).painted(wanted),
      words,
    );
  }

  scrollUp(pixelsPerSecond: number, seconds: number): Promise<Scrolled> {
    return this.#page.evaluate(
      ([speed, most]) => (globalThis as unknown as Watcher).scrollUp(speed, most),
      [pixelsPerSecond, seconds] as const,
    );
  }

  /** Bytes of live objects. */
  async heapBytes(): Promise<number> {
    await this.#cdp.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#cdp.send("Runtime.getHeapUsage");
    return usedSize;
  }

  async metric(wanted: "Nodes" | "TaskDuration"): Promise<number> {
    const { metrics } = await this.#cdp.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

/** What a page without a script drops of its frames when it is scrolled as fast: what the machine itself drops now. */
export async function scrollPlainPage(
  browser: Browser,
  pixelsPerSecond: number,
  seconds: number,
): Promise<Scrolled> {
  const context = await browser.newContext({ viewport });
  try {
    const page = await context.newPage();
    await page.addInitScript({ path: watcher });
    await page.goto("about:blank");
    await page.evaluate(
      (lines) => (globalThis as unknown as Watcher).showPlainText(lines),
      PLAIN_LINES,
    );
    return await page.evaluate(
      ([speed, most]) => (globalThis as unknown as Watcher).scrollUp(speed, most),
      [pixelsPerSecond, seconds] as const,
    );
  } finally {
    await context.close();
  }
}
