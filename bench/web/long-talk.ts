import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import type { Figure, Survey } from "../harness.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { LongSession } from "./long-session.ts";
import { OurPage, scrollPlainPage } from "./our-page.ts";
import type { Scrolled } from "./our-page.ts";

const { BENCH_WEB_EVENTS = "20000", BENCH_WEB_SCROLL_SECONDS = "40" } = process.env;
const EVENTS = Number(BENCH_WEB_EVENTS);
const SCROLL_SECONDS = Number(BENCH_WEB_SCROLL_SECONDS);
const FEW_EVENTS = 100;
const PLAIN_SECONDS = 20;
const LOADS = 5;
const PIXELS_PER_SECOND = 2_000;
const MAX_DROPPED_PERCENT = 5;
const EVENTS_PER_SECOND = 2_500;
const MAX_HEAP_RATIO = 1.1;
const MAX_NODES = 6_000;
const SETTLE_MS = 3_000;
const IDLE_MS = 10_000;
const MAX_IDLE_SECONDS = 0.1;

/** What a long conversation costs the browser: to open it, to scroll in it, to let it grow, and to leave it alone. */
export function longTalk(browser: Browser): Survey[] {
  return [
    {
      title: `A conversation of ${EVENTS} events: opened, and scrolled at ${PIXELS_PER_SECOND} px a second`,
      measure: () => opened(browser),
    },
    {
      title: `A page that has shown ${EVENTS} events live, and then ${EVENTS} more`,
      measure: () => grown(browser),
    },
  ];
}

async function opened(browser: Browser): Promise<Figure[]> {
  await using few = await LongSession.serve(FEW_EVENTS);
  await using many = await LongSession.serve(EVENTS);
  await using fewGateway = await GatewayProcess.start(few.socket, 1);
  await using manyGateway = await GatewayProcess.start(many.socket, 1);
  await using fewPage = await OurPage.open(browser, linkOf(fewGateway));
  await using manyPage = await OurPage.open(browser, linkOf(manyGateway));
  const [fewMs, manyMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < LOADS; round += 1) {
    fewMs.push(await fewPage.load(few.lastWords));
    manyMs.push(await manyPage.load(many.lastWords));
  }
  const scrolled = await manyPage.scrollUp(PIXELS_PER_SECOND, SCROLL_SECONDS);
  const { pixels, waitedMs, isWhole } = scrolled;
  const plain = await scrollPlainPage(browser, PIXELS_PER_SECOND, PLAIN_SECONDS);
  return [
    { name: "until the newest turn is painted, median", value: middle(manyMs), unit: "ms" },
    {
      name: `    × a conversation of ${FEW_EVENTS} events`,
      value: middle(manyMs) / middle(fewMs),
      unit: "×",
    },
    { name: isWhole ? "scrolled, to the beginning" : "scrolled", value: pixels, unit: "px" },
    {
      name: "    frames that were dropped",
      value: droppedPercent(scrolled),
      unit: "%",
      goal: { atMost: MAX_DROPPED_PERCENT },
    },
    { name: "    the same on a page without a script", value: droppedPercent(plain), unit: "%" },
    { name: "    time at the top, for older turns to come", value: waitedMs, unit: "ms" },
  ];
}

async function grown(browser: Browser): Promise<Figure[]> {
  await using session = await LongSession.serve(FEW_EVENTS);
  await using gateway = await GatewayProcess.start(session.socket, 1);
  await using page = await OurPage.open(browser, linkOf(gateway));
  await page.load(session.lastWords);
  const grow = async (): Promise<number> => {
    await session.say(EVENTS, EVENTS_PER_SECOND);
    await page.shows(session.lastWords);
    await sleep(SETTLE_MS);
    return page.heapBytes();
  };
  const before = await grow();
  const after = await grow();
  const nodes = await page.metric("Nodes");
  const busy = await page.metric("TaskDuration");
  await sleep(IDLE_MS);
  const idle = (await page.metric("TaskDuration")) - busy;
  return [
    { name: "live objects after the first", value: before / 1e6, unit: "MB" },
    { name: "    after the others", value: after / 1e6, unit: "MB" },
    {
      name: "    after ÷ before",
      value: after / before,
      unit: "×",
      goal: { atMost: MAX_HEAP_RATIO },
    },
    { name: "nodes of the document", value: nodes, unit: "", goal: { atMost: MAX_NODES } },
    {
      name: `busy in ${IDLE_MS / 1_000} s in which nothing happens`,
      value: idle,
      unit: "s",
      goal: { atMost: MAX_IDLE_SECONDS },
    },
  ];
}

const droppedPercent = ({ frames, dropped }: Scrolled): number =>
  (100 * dropped) / (frames + dropped);

const linkOf = ({ links }: GatewayProcess): string => links[0] ?? "";

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
