import { useMemo, useState } from "preact/hooks";
import { Key } from "../../ui/key.tsx";
import { Strip } from "../../ui/strip.tsx";
import { t } from "../../words/words.ts";
import { MessageTicket } from "../cords/message-ticket.tsx";
import { USER } from "../scene/lanes.ts";
import type { ShownScene } from "../scene/use-scene.ts";
import { useWidth } from "../cords/use-width.ts";
import { axisOf } from "./drawing.ts";
import { fittingZoom } from "./fitting-zoom.ts";
import { Details } from "./details.tsx";
import { LaneNames } from "./lane-names.tsx";
import { LinesPicture } from "./lines-picture.tsx";
import { LinesTable } from "./lines-table.tsx";
import { useCalm } from "./use-calm.ts";
import { useNow } from "./use-now.ts";
import styles from "./lines.module.css";

const zooms = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const MAX_WIDTH = 2_000_000;

/** One lane for the person and for each agent: turns, tools, waits, and messages from where they were sent to where they were seen. */
export function Lines({ scene, isList }: { readonly scene: ShownScene; readonly isList: boolean }) {
  const [wantedZoom, setZoom] = useState<number | undefined>(undefined);
  const [box, sight] = useWidth<HTMLDivElement>();
  const [follows, setFollows] = useState(true);
  const [hovered, hover] = useState<string | undefined>(undefined);
  const [chosen, choose] = useState<string | undefined>(undefined);
  const isOpen = !scene.isReplay && hasOpen(scene);
  const now = useNow(scene.now, isOpen, scene.isReplay);
  const { lanes } = scene;
  const seq = useCalm(lanes.lastSeq);
  const [axis, zoom] = useMemo(() => {
    const zoomed = wantedZoom ?? fittingZoom(axisOf(lanes, now, 1), sight, zooms);
    const wanted = axisOf(lanes, now, zooms[zoomed] ?? 8);
    if (wanted.width <= MAX_WIDTH) return [wanted, zoomed];
    return [axisOf(lanes, now, ((zooms[zoomed] ?? 8) * MAX_WIDTH) / wanted.width), zoomed];
    // The lanes are the same object while they grow: their newest event tells that they are others.
  }, [lanes, seq, now, wantedZoom, sight]);
  const order = [USER, ...scene.agents.map(({ id }) => id)];
  const flight = chosen === undefined ? undefined : lanes.flights.get(chosen);
  return (
    <section class={styles.lines} aria-label={t("lines.title")}>
      <header class={styles.head}>
        <Strip as="h2">{t("lines.title")}</Strip>
        {!isList && (
          <div class={styles.tools}>
            <Key isPressed={follows} onClick={() => setFollows(!follows)}>
              {t("lines.follow")}
            </Key>
            <Key
              label={t("lines.zoomOut")}
              isDisabled={zoom === 0}
              onClick={() => setZoom(Math.max(0, zoom - 1))}
            >
              −
            </Key>
            <Key
              label={t("lines.zoomIn")}
              isDisabled={zoom === zooms.length - 1}
              onClick={() => setZoom(Math.min(zooms.length - 1, zoom + 1))}
            >
              +
            </Key>
            <Key label={t("lines.zoomReset")} onClick={() => setZoom(undefined)}>
              ⟲
            </Key>
          </div>
        )}
      </header>
      {isList ? (
        <LinesTable lanes={lanes} now={now} />
      ) : (
        <>
          <div class={styles.field}>
            <LaneNames agents={scene.agents} />
            <div ref={box} class={styles.sight}>
              <LinesPicture
                lanes={lanes}
                axis={axis}
                order={order}
                agents={scene.agents}
                follows={follows}
                onLeaveNow={() => setFollows(false)}
                hovered={hovered}
                onHover={hover}
                onChoose={(key) => choose(key === chosen ? undefined : key)}
              />
            </div>
          </div>
          <Details lanes={lanes} id={hovered} now={now} />
          {flight && <MessageTicket flight={flight} onClose={() => choose(undefined)} />}
        </>
      )}
    </section>
  );
}

/** Does something run whose bar grows? */
function hasOpen({ view, lanes }: ShownScene): boolean {
  if ([...view.agents.values()].some(({ turn }) => turn !== undefined)) return true;
  return [...lanes.flights.values()]
    .slice(-20)
    .some(({ seenAt, endedAt }) => seenAt === undefined && endedAt === undefined);
}
