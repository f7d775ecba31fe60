import { visibleString } from "../../characters/visible-characters.ts";
import { useMemo, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { AgentRow } from "../../state/team-state.ts";
import cordColours from "../../ui/cords.module.css";
import { isComposing } from "../../ui/key-press.ts";
import { lengthOfTime, t, timeOfDay } from "../../words/words.ts";
import { turnLink } from "../cords/message-ticket.tsx";
import type { Lanes } from "../scene/lanes.ts";
import { drawingOf } from "./drawing.ts";
import { detailsOf } from "./details.tsx";
import { MessageLines } from "./message-lines.tsx";
import { HEAD, ROW } from "./places.ts";
import type { TimeAxis } from "./time-axis.ts";
import { useWindow } from "./use-window.ts";
import styles from "./lines.module.css";

const BAR = 14;
/** Lanes go on to the end of any box. */
const MIN_RULE = 5000;

interface LinesPictureProps {
  readonly lanes: Lanes;
  readonly axis: TimeAxis;
  readonly order: readonly string[];
  readonly agents: readonly AgentRow[];
  readonly follows: boolean;
  readonly onLeaveNow: () => void;
  readonly hovered: string | undefined;
  readonly onHover: (key: string | undefined) => void;
  /** A message line was clicked. */
  readonly onChoose: (key: string) => void;
}

export function LinesPicture(props: LinesPictureProps) {
  const { lanes, axis, order, agents, hovered, onHover, onChoose } = props;
  const box = useRef<HTMLDivElement>(null);
  const { route } = useLocation();
  const [left, right] = useWindow(box, axis.width, props.follows, props.onLeaveNow);
  const drawing = useMemo(
    () => drawingOf(lanes, order, axis, [left, right]),
    [axis, left, right, order.join(" ")],
  );
  const colourOf = new Map(agents.map(({ id, cord }) => [id, cordColours[`cord${cord}`] ?? ""]));
  const height = HEAD + order.length * ROW;
  const width = Math.max(1, Math.ceil(axis.width));
  const open = (key: string): void => {
    const turn = lanes.turns.get(key);
    if (turn) route(turnLink(turn));
    else if (lanes.flights.has(key)) onChoose(key);
  };
  const move = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === "Enter" && hovered !== undefined) open(hovered);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    props.onLeaveNow();
    const next = neighbour(lanes, hovered, step);
    if (next === undefined) return;
    onHover(next.key);
    box.current?.scrollTo({ left: axis.xOf(next.at) - box.current.clientWidth / 2 });
  };
  return (
    <div
      ref={box}
      class={styles.scroller}
      role="application"
      aria-label={`${t("lines.picture", { n: order.length })} ${t("lines.hint")}`}
      tabindex={0}
      onKeyDown={move}
    >
      <svg
        width={width}
        height={height}
        aria-hidden="true"
        onPointerOver={(event) => onHover(keyOf(event.target))}
        onPointerLeave={() => onHover(undefined)}
        onClick={(event) => {
          const key = keyOf(event.target);
          if (key !== undefined) open(key);
        }}
      >
        <defs>
          <pattern
            id="waits"
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="5" height="8" class={styles.hatch} />
          </pattern>
        </defs>
        {order.map((id, index) => (
          <path
            key={id}
            class={styles.rule}
            d={`M0 ${HEAD + index * ROW + 0.5} H${Math.max(width, MIN_RULE)}`}
          />
        ))}
        {axis.marks(left, right).map(({ at, x }) => (
          <g key={at}>
            <path class={styles.rule} d={`M${Math.round(x) + 0.5} 18 V${height}`} />
            <text class={styles.time} x={x + 4} y="14">
              {timeOfDay(at)}
            </text>
          </g>
        ))}
        {axis.folds
          .filter(({ x, width: wide }) => x + wide >= left && x <= right)
          .map((fold) => (
            <g key={fold.from}>
              <title>{t("lines.folded", { length: lengthOfTime(fold.to - fold.from) })}</title>
              <rect class={styles.fold} x={fold.x} y="0" width={fold.width} height={height} />
              <path class={styles.pause} d={`M${fold.x + 5.5} 6 v9 m3 -9 v9`} />
              <text class={styles.time} x={fold.x + 13} y="14">
                {shortLength(fold.to - fold.from)}
              </text>
            </g>
          ))}
        {drawing.turns.map(({ of, lane, x, width: wide }) => (
          <rect
            key={of.key}
            data-key={of.key}
            class={`${styles.turn} ${colourOf.get(of.agent) ?? ""}`}
            data-hovered={of.key === hovered}
            x={x}
            y={HEAD + lane * ROW + (ROW - BAR) / 2}
            width={wide}
            height={BAR}
            rx="2"
          />
        ))}
        {drawing.waits.map(({ of, lane, x, width: wide }) => (
          <rect
            key={of.key}
            data-key={of.key}
            class={styles.wait}
            data-hovered={of.key === hovered}
            fill="url(#waits)"
            x={x}
            y={HEAD + lane * ROW + (ROW - BAR) / 2 - 1}
            width={wide}
            height={BAR + 2}
          />
        ))}
        {drawing.ticks.map(({ of, lane, x }) => (
          <g
            key={of.key}
            data-key={of.key}
            class={styles.tick}
            data-kind={of.kind}
            data-hovered={of.key === hovered}
          >
            <rect
              class={styles.reach}
              x={x - 4}
              y={HEAD + lane * ROW + 6}
              width="8"
              height={ROW - 12}
            />
            {of.kind === "tool" ? (
              <path d={`M${x} ${HEAD + lane * ROW + 9} v${ROW - 18}`} />
            ) : (
              <path d={`M${x - 4} ${HEAD + lane * ROW + 16} l8 8 m0 -8 l-8 8`} />
            )}
          </g>
        ))}
        <MessageLines messages={drawing.messages} colourOf={colourOf} hovered={hovered} />
        <path class={styles.now} d={`M${width - 0.5} 0 V${height}`} />
      </svg>
      <span class="unseen" aria-live="polite">
        {hovered !== undefined && visibleString(detailsOf(lanes, hovered, 0)?.text ?? "")}
      </span>
    </div>
  );
}

const keyOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element
    ? (target.closest("[data-key]")?.getAttribute("data-key") ?? undefined)
    : undefined;

/** The next or the previous turn or message by time. */
function neighbour(lanes: Lanes, key: string | undefined, step: 1 | -1) {
  const all = [
    ...[...lanes.turns.values()].map((turn) => ({ key: turn.key, at: turn.from })),
    ...[...lanes.flights.values()].map((flight) => ({ key: flight.key, at: flight.sentAt })),
  ].toSorted((a, b) => a.at - b.at);
  const index = all.findIndex((each) => each.key === key);
  if (index < 0) return all.at(-1);
  return all[Math.min(all.length - 1, Math.max(0, index + step))];
}

/** One unit is enough beside a fold. */
function shortLength(ms: number): string {
  const minute = 60_000;
  const unit = ms < 60 * minute ? "minute" : ms < 48 * 60 * minute ? "hour" : "day";
  const size = { minute, hour: 60 * minute, day: 1440 * minute }[unit];
  const { lang } = document.documentElement;
  return new Intl.NumberFormat(lang, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: 0,
  }).format(Math.max(1, Math.round(ms / size)));
}
