import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Absence, Figure, Survey } from "../harness.ts";
import { installPeers } from "../peer-packages.ts";
import { type PageFiles, bundlePage } from "./bundle-page.ts";
import { serveDeltas } from "./delta-server.ts";
import { type TextName, texts } from "./texts.ts";

const PER_SECOND = 100;
const { BENCH_WEB_SECONDS = "6", BENCH_WEB_CHARS = "20000" } = process.env;
const SECONDS = Number(BENCH_WEB_SECONDS);
const CHARS = Number(BENCH_WEB_CHARS);
const GOAL_MS = 33;
const peersDirectory = join(import.meta.dirname, "peers");

interface Measured {
  readonly latencies: number[];
  readonly work: number[];
  readonly violations: string[];
  readonly length: number;
}

/** Seconds of the page's main thread. */
interface Spent {
  readonly all: number;
  readonly script: number;
  readonly layout: number;
}

interface Page {
  readonly title: string;
  readonly files: PageFiles;
  readonly isOurs: boolean;
}

/** How long a delta takes from the socket to the screen, for texts that grow in every way, beside an empty page. */
export async function eventToPaint(browser: Browser): Promise<Survey[]> {
  const { pages, absent } = await pagesToMeasure();
  return (["mixed", "list", "table", "fence", "line"] as const).map((name) => ({
    title: `From the event to the screen: ${name}, ${CHARS} characters in ${SECONDS} s, ${PER_SECOND} deltas a second`,
    absent,
    measure: () => measureAll(browser, pages, name),
  }));
}

async function pagesToMeasure(): Promise<{ pages: Page[]; absent: Absence[] }> {
  const own = join(import.meta.dirname, "../../node_modules");
  const pages: Page[] = [
    { title: "empty page", files: await bundlePage("echo", [own]), isOurs: false },
    { title: "ours", files: await bundlePage("ours", [own]), isOurs: true },
  ];
  const peers = await installPeers(peersDirectory);
  if (!peers.isThere("streamdown")) {
    return { pages, absent: [{ name: "streamdown", reason: peers.failure }] };
  }
  const files = await bundlePage("streamdown", [join(peersDirectory, "node_modules")]);
  return {
    pages: [...pages, { title: peers.titleOf("streamdown"), files, isOurs: false }],
    absent: [],
  };
}

async function measureAll(browser: Browser, pages: Page[], name: TextName): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const page of pages) figures.push(...figuresOf(page, ...(await run(browser, page, name))));
  return figures;
}

async function run(
  browser: Browser,
  { files, isOurs }: Page,
  name: TextName,
): Promise<[Measured, Spent]> {
  const stream = { text: texts[name](CHARS), deltas: SECONDS * PER_SECOND, perSecond: PER_SECOND };
  await using server = await serveDeltas(files, stream, isOurs);
  const context = await browser.newContext({ viewport: { width: 1_000, height: 800 } });
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("Performance.enable");
    await page.goto(server.url);
    const timeout = SECONDS * 3_000 + 60_000;
    await page.waitForFunction(() => "result" in globalThis, undefined, { timeout });
    const { metrics } = await cdp.send("Performance.getMetrics");
    const spent = (wanted: string): number =>
      metrics.find(({ name: each }) => each === wanted)?.value ?? Number.NaN;
    return [
      await page.evaluate(() => (globalThis as unknown as { result: Measured }).result),
      {
        all: spent("TaskDuration"),
        script: spent("ScriptDuration"),
        layout: spent("LayoutDuration") + spent("RecalcStyleDuration"),
      },
    ];
  } finally {
    await context.close();
  }
}

function figuresOf({ title, isOurs }: Page, measured: Measured, spent: Spent): Figure[] {
  const { latencies, work, violations } = measured;
  const late = work.slice(Math.floor((work.length * 2) / 3));
  return [
    {
      name: `${title}: p95`,
      value: quantile(latencies, 0.95),
      unit: "ms",
      ...(isOurs && { goal: { atMost: GOAL_MS } }),
    },
    { name: `${title}: median`, value: quantile(latencies, 0.5), unit: "ms" },
    { name: `${title}: work of a frame, median`, value: quantile(work, 0.5), unit: "ms" },
    { name: `${title}: the same in the last third`, value: quantile(late, 0.5), unit: "ms" },
    { name: `${title}: the main thread was busy`, value: spent.all, unit: "s" },
    { name: `${title}: of it scripts`, value: spent.script, unit: "s" },
    { name: `${title}: of it layout and styles`, value: spent.layout, unit: "s" },
    ...(isOurs
      ? [
          {
            name: `${title}: violations of the policy`,
            value: violations.length,
            unit: "",
            goal: { atMost: 0 },
          },
        ]
      : []),
  ];
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
