import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import type { Options } from "uplot";
import UPlot from "uplot";
import type { LogStats } from "agent-switchboard/wire";
import { theme } from "../state/preferences.ts";
import { language, t } from "../words/words.ts";
import styles from "./mail.module.css";

type Buckets = LogStats["buckets"];

type Range = readonly [number, number];

const HEIGHT = 150;
const LEAST_BUCKETS = 6;

/** Two charts over the same time: counts, and how long deliveries took. */
export default function MailCharts({
  buckets,
  until,
  bucketMs,
}: {
  readonly buckets: Buckets;
  readonly until: string;
  readonly bucketMs: number;
}) {
  const range = rangeOf(buckets, until, bucketMs);
  const times = buckets.map(({ at }) => Date.parse(at) / 1000);
  return (
    <div class={styles.charts}>
      <Chart
        range={range}
        name={t("mail.counts")}
        data={[times, buckets.map(({ count }) => count), buckets.map(({ failures }) => failures)]}
        lines={[
          { label: t("mail.count"), colour: "--c5", isBar: true },
          { label: t("mail.failures"), colour: "--stop", isBar: true },
        ]}
      />
      <Chart
        range={range}
        name={t("mail.latency")}
        data={[times, buckets.map(({ p50_ms }) => p50_ms), buckets.map(({ p95_ms }) => p95_ms)]}
        lines={[
          { label: t("mail.p50"), colour: "--c4", isBar: false },
          { label: t("mail.p95"), colour: "--c2", isBar: false },
        ]}
      />
    </div>
  );
}

interface Line {
  readonly label: string;
  /** The token of its colour. */
  readonly colour: string;
  readonly isBar: boolean;
}

/** From before the first bucket to after the last, in seconds; at least some buckets, so that a bar stays a bar. */
function rangeOf(buckets: Buckets, until: string, bucketMs: number): Range {
  const last = Date.parse(until);
  const begin = Date.parse(buckets[0]?.at ?? until) - bucketMs / 2;
  return [Math.min(begin, last - LEAST_BUCKETS * bucketMs) / 1000, last / 1000];
}

function Chart({
  name,
  range,
  data,
  lines,
}: {
  readonly name: string;
  readonly range: Range;
  readonly data: (number | null)[][];
  readonly lines: readonly Line[];
}) {
  const box = useRef<HTMLDivElement>(null);
  const isDark = document.documentElement.dataset["theme"] === "dark";
  const words = `${theme.value} ${language.value} ${isDark} ${range.join(" ")} ${JSON.stringify(data)}`;
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const width = Math.max(200, element.clientWidth);
    const chart = new UPlot(optionsOf(lines, width, range), data as UPlot.AlignedData, element);
    const observer = new ResizeObserver(() => {
      const now = Math.max(200, element.clientWidth);
      if (now !== chart.width) chart.setSize({ width: now, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [words]);
  return (
    <figure>
      <figcaption>{name}</figcaption>
      <div ref={box} class={styles.chart} />
    </figure>
  );
}

function optionsOf(lines: readonly Line[], width: number, [from, to]: Range): Options {
  const axis = {
    stroke: token("--ink2"),
    font: "11px monospace",
    grid: { stroke: token("--rule"), width: 1 },
    ticks: { stroke: token("--rule"), width: 1 },
  };
  return {
    width,
    height: HEIGHT,
    legend: { live: false },
    cursor: { show: false },
    scales: {
      x: { range: [from, to] },
      y: { range: (_, __, high) => [0, Math.max(1, high * 1.1)] },
    },
    axes: [
      {
        ...axis,
        values: (_, times) => times.map((time) => timeLabel(time, times)),
      },
      { ...axis, size: 52 },
    ],
    series: [
      {},
      ...lines.map(({ label, colour, isBar }) => ({
        label,
        stroke: token(colour),
        width: isBar ? 0 : 2,
        points: { show: !isBar, size: 5 },
        ...(isBar && {
          fill: token(colour),
          ...(UPlot.paths.bars && { paths: UPlot.paths.bars({ size: [0.7, 40] }) }),
        }),
      })),
    ],
  };
}

/** The time of day; the day where the axis is longer than two. */
function timeLabel(time: number, times: readonly number[]): string {
  const isLong = (times.at(-1) ?? 0) - (times[0] ?? 0) > 172_800;
  return new Intl.DateTimeFormat(language.value, {
    ...(isLong ? { month: "numeric", day: "numeric" } : { hour: "2-digit", minute: "2-digit" }),
    hourCycle: "h23",
  }).format(time * 1000);
}

const token = (key: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(key).trim();
