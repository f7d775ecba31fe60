import { useState } from "preact/hooks";
import { usePage } from "../state/page-state.ts";
import { Empty } from "../ui/empty.tsx";
import { Key } from "../ui/key.tsx";
import { Strip } from "../ui/strip.tsx";
import { t } from "../words/words.ts";
import { CordBoard } from "./cords/cord-board.tsx";
import { CordList } from "./cords/cord-list.tsx";
import { Lines } from "./lines/lines.tsx";
import { TimeScrubber } from "./scene/time-scrubber.tsx";
import { useScene } from "./scene/use-scene.ts";
import styles from "./board-view.module.css";

/** What the team does, as a picture and in words, now or at any event before. */
export default function BoardView() {
  const { team } = usePage();
  const scene = useScene();
  const [isList, setList] = useState(false);
  if (scene.agents.length === 0) {
    const isConnecting = team?.link.value.kind === "connecting";
    return isConnecting ? (
      <Empty title={t("app.loading")} />
    ) : (
      <Empty title={t("board.noTeam")} command="switchboard up team.yaml">
        {t("board.noTeamBody")}
      </Empty>
    );
  }
  // What became of a dead letter later, a replay does not know.
  const lost = scene.isReplay ? Infinity : (team?.status.value?.dead_letters ?? 0);
  return (
    <div class={styles.view} data-replay={scene.isReplay}>
      <section aria-label={t("board.title")}>
        <header class={styles.head}>
          <Strip as="h1">{t("board.title")}</Strip>
          {scene.isReplay && <span class={styles.replay}>{t("board.isReplay")}</span>}
          <div role="group" aria-label={t("board.form")} class={styles.forms}>
            <Key isPressed={!isList} onClick={() => setList(false)}>
              {t("board.picture")}
            </Key>
            <Key isPressed={isList} onClick={() => setList(true)}>
              {t("board.list")}
            </Key>
          </div>
        </header>
        {isList ? <CordList scene={scene} lost={lost} /> : <CordBoard scene={scene} lost={lost} />}
      </section>
      {scene.lanes.flights.size === 0 && !scene.isReplay && (
        <p class={styles.first}>
          {t("board.askFirst")} <code>switchboard send "…"</code>
        </p>
      )}
      <Lines scene={scene} isList={isList} />
      <TimeScrubber scene={scene} />
    </div>
  );
}
