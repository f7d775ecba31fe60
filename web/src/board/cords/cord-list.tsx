import { VisibleText } from "../../characters/visible-text.tsx";
import { StateWord } from "../../ui/state-word.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Table } from "../../ui/table.tsx";
import { money, t, timeOfDay } from "../../words/words.ts";
import { doingOf } from "../doing.ts";
import { nameOf } from "../../ui/name-of.ts";
import type { ShownScene } from "../scene/use-scene.ts";
import { useOpenCords } from "./use-open-cords.ts";
import styles from "./cord-list.module.css";

/** The board in words. */
export function CordList({ scene, lost }: { readonly scene: ShownScene; readonly lost: number }) {
  const cords = useOpenCords(scene, lost).toReversed();
  return (
    <div class={styles.list}>
      <Table
        caption={t("board.agents")}
        rows={scene.agents}
        keyOf={({ id }) => id}
        columns={[
          {
            key: "agent",
            title: t("board.agent"),
            isName: true,
            cell: ({ id }) => <a href={`/a/${id}`}>{id}</a>,
          },
          {
            key: "state",
            title: t("board.state"),
            isShort: true,
            cell: ({ state }) => <StateWord state={state} />,
          },
          {
            key: "doing",
            title: t("board.doing"),
            cell: ({ view }) => <VisibleText text={doingOf(view)} />,
          },
          {
            key: "since",
            title: t("board.since"),
            isMinor: true,
            cell: ({ view }) => (view?.since ? timeOfDay(view.since) : ""),
          },
          {
            key: "cost",
            title: t("board.cost"),
            isNumber: true,
            cell: ({ view }) => money(view?.costUsd ?? 0),
          },
        ]}
      />
      <Strip as="h3">{t("board.onTheirWay")}</Strip>
      {cords.length === 0 ? (
        <p>{t("board.idle")}</p>
      ) : (
        <Table
          caption={t("board.onTheirWay")}
          rows={cords}
          keyOf={({ flight }) => flight.key}
          columns={[
            {
              key: "from",
              title: t("board.from"),
              isShort: true,
              cell: ({ flight }) => nameOf(flight.from),
            },
            {
              key: "to",
              title: t("board.to"),
              isShort: true,
              cell: ({ flight }) => nameOf(flight.to),
            },
            {
              key: "state",
              title: t("board.state"),
              isShort: true,
              cell: ({ state }) => t(`board.cordState.${state}`),
            },
            {
              key: "sent",
              title: t("board.sent"),
              isMinor: true,
              cell: ({ flight }) => timeOfDay(flight.sentAt),
            },
            {
              key: "words",
              title: t("board.words"),
              isName: true,
              cell: ({ flight }) => (
                <a href={`/mail/${flight.id}`}>
                  <VisibleText text={flight.words} />
                </a>
              ),
            },
          ]}
        />
      )}
    </div>
  );
}
