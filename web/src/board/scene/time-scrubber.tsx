import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { Key } from "../../ui/key.tsx";
import { t, timeOfDay } from "../../words/words.ts";
import type { ShownScene } from "./use-scene.ts";
import { usePlaying } from "./use-playing.ts";
import styles from "./time-scrubber.module.css";

const speeds = [1, 4, 16] as const;
/** A dragged slider asks for many events; only where it rests is replayed. */
const REST_MS = 80;

/** Goes back to any event, plays from there, and returns to now. It reads, and changes nothing. */
export function TimeScrubber({ scene }: { readonly scene: ShownScene }) {
  const { path, route } = useLocation();
  const { isReplay, seq, lastSeq, loading, failure } = scene;
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  const goTo = (next: number | undefined): void => {
    const isAtEnd = next === undefined;
    route(isAtEnd ? path : `${path}?at=${Math.min(lastSeq, Math.max(1, next))}`, isReplay);
  };
  useEffect(() => {
    if (dragged === undefined) return undefined;
    const timer = setTimeout(() => {
      goTo(dragged);
      setDragged(undefined);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [dragged]);
  const [speed, setSpeed] = useState<number>(1);
  const [isPlaying, setPlaying] = usePlaying(scene, speed, goTo);
  const shown = dragged ?? (isReplay ? seq : lastSeq);
  const time = isReplay && loading === undefined ? timeOfDay(scene.now()) : "";
  return (
    <div class={styles.scrubber} data-replay={isReplay} role="group" aria-label={t("replay.title")}>
      <div class={styles.keys}>
        <Key
          isPressed={isPlaying}
          isDisabled={!isReplay || seq >= lastSeq}
          onClick={() => setPlaying(!isPlaying)}
        >
          {isPlaying ? t("replay.pause") : t("replay.play")}
        </Key>
        <Key label={t("replay.back")} isDisabled={shown <= 1} onClick={() => goTo(shown - 1)}>
          ◂
        </Key>
        <Key
          label={t("replay.forward")}
          isDisabled={!isReplay || seq >= lastSeq}
          onClick={() => goTo(seq + 1)}
        >
          ▸
        </Key>
        <span class={styles.speeds} role="group" aria-label={t("replay.speed")}>
          {speeds.map((each) => (
            <Key key={each} isPressed={each === speed} onClick={() => setSpeed(each)}>
              {each}×
            </Key>
          ))}
        </span>
      </div>
      <input
        type="range"
        min={1}
        max={Math.max(1, lastSeq)}
        value={shown}
        aria-label={t("replay.at")}
        aria-valuetext={t("replay.valueText", { seq: shown, last: lastSeq, time })}
        onInput={({ currentTarget }) => {
          setPlaying(false);
          setDragged(Number(currentTarget.value));
        }}
      />
      <span class={styles.where}>
        {isReplay ? `${time} · ${t("foot.seq", { seq: shown })}` : t("replay.isLive")}
      </span>
      <Key
        isDisabled={!isReplay}
        onClick={() => {
          setPlaying(false);
          goTo(undefined);
        }}
      >
        {t("replay.live")}
      </Key>
      {loading !== undefined && (
        <p class={styles.note}>{t("replay.reading", { seq: loading, last: seq })}</p>
      )}
      {failure !== undefined && (
        <p class={styles.note} role="alert">
          {failure}
        </p>
      )}
    </div>
  );
}
