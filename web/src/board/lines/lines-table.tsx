import { VisibleText } from "../../characters/visible-text.tsx";
import { useState } from "preact/hooks";
import { Key } from "../../ui/key.tsx";
import { Table } from "../../ui/table.tsx";
import { lengthOfTime, t, timeOfDay } from "../../words/words.ts";
import { turnLink } from "../cords/message-ticket.tsx";
import { nameOf } from "../../ui/name-of.ts";
import type { Lanes } from "../scene/lanes.ts";
import { detailsOf } from "./details.tsx";

interface Row {
  readonly key: string;
  readonly kind: "kindTurn" | "kindWait" | "kindMessage";
  readonly who: string;
  readonly from: number;
  readonly length: number | undefined;
  readonly link: string | undefined;
}

const PAGE = 100;

/** The lines in words: turns, waits and messages, the newest first. */
export function LinesTable({ lanes, now }: { readonly lanes: Lanes; readonly now: number }) {
  const [count, setCount] = useState(PAGE);
  const rows = rowsOf(lanes);
  return (
    <>
      <Table
        caption={t("lines.title")}
        rows={rows.slice(0, count)}
        keyOf={({ key }) => key}
        columns={[
          { key: "from", title: t("lines.begin"), cell: ({ from }) => timeOfDay(from) },
          {
            key: "who",
            title: t("lines.who"),
            isShort: true,
            isName: true,
            cell: ({ who }) => who,
          },
          {
            key: "kind",
            title: t("lines.kind"),
            isShort: true,
            cell: ({ kind }) => t(`lines.${kind}`),
          },
          {
            key: "length",
            title: t("lines.length"),
            isNumber: true,
            cell: ({ length, from }) => lengthOfTime(length ?? now - from),
          },
          {
            key: "details",
            title: t("lines.details"),
            isMinor: true,
            cell: ({ key, link }) => {
              const text = <VisibleText text={detailsOf(lanes, key, now)?.text ?? ""} />;
              return link === undefined ? text : <a href={link}>{text}</a>;
            },
          },
        ]}
      />
      {rows.length > count && (
        <p>
          <Key onClick={() => setCount(count + PAGE)}>{t("lines.older")}</Key>
        </p>
      )}
    </>
  );
}

function rowsOf(lanes: Lanes): Row[] {
  const rows: Row[] = [];
  for (const turn of lanes.turns.values()) {
    const { key, agent: who, from, to } = turn;
    rows.push({
      key,
      kind: "kindTurn",
      who,
      from,
      length: lengthOf(from, to),
      link: turnLink(turn),
    });
  }
  for (const { key, agent: who, from, to } of lanes.waits.values()) {
    rows.push({ key, kind: "kindWait", who, from, length: lengthOf(from, to), link: undefined });
  }
  for (const flight of lanes.flights.values()) {
    const { key, id, sentAt: from, seenAt, endedAt } = flight;
    const who = `${nameOf(flight.from)} → ${nameOf(flight.to)}`;
    const length = lengthOf(from, seenAt ?? endedAt);
    rows.push({ key, kind: "kindMessage", who, from, length, link: `/mail/${id}` });
  }
  return rows.toSorted((a, b) => b.from - a.from);
}

const lengthOf = (from: number, to: number | undefined): number | undefined =>
  to === undefined ? undefined : to - from;
