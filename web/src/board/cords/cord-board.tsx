import { useState } from "preact/hooks";
import { counted, t } from "../../words/words.ts";
import { USER } from "../scene/lanes.ts";
import type { ShownScene } from "../scene/use-scene.ts";
import { AgentNode, PersonNode } from "./board-node.tsx";
import { CordLine } from "./cord-line.tsx";
import { cordPath } from "./cord-path.ts";
import { layOut } from "./layout.ts";
import { MessageTicket } from "./message-ticket.tsx";
import { useMayMessage } from "./use-may-message.ts";
import { useOpenCords } from "./use-open-cords.ts";
import { useWidth } from "./use-width.ts";
import styles from "./cord-board.module.css";

/** The agents as jacks, and the messages between them as cords. */
export function CordBoard({ scene, lost }: { readonly scene: ShownScene; readonly lost: number }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [chosen, choose] = useState<string | undefined>(undefined);
  const mayMessage = useMayMessage();
  const ids = [USER, ...scene.agents.map(({ id }) => id)];
  // The team's own process, and agents that have left, have no jack.
  const cords = useOpenCords(scene, lost).filter(
    ({ flight: { from, to } }) => ids.includes(from) && ids.includes(to),
  );
  const layout = layOut(
    {
      person: USER,
      lead: scene.view.lead || scene.agents.find(({ status }) => status.lead)?.id,
      agents: scene.agents.map(({ id }) => id),
      edges: mayMessage.length > 0 ? mayMessage : [...scene.lanes.flights.values()],
    },
    width || 800,
  );
  const nodes = new Map(layout.nodes.map((node) => [node.id, node]));
  const rows = new Map(scene.agents.map((row) => [row.id, row]));
  const wanted = new Set([...scene.view.approvals.values()].map(({ agent }) => agent));
  const dead = cords.filter(({ state }) => state === "dead").length;
  const open = cords.filter(({ state }) => state === "waiting" || state === "held").length;
  const flight = chosen === undefined ? undefined : scene.lanes.flights.get(chosen);
  return (
    <div ref={box} class={styles.board}>
      <div class={styles.field} style={{ height: `${layout.height}px` }}>
        <svg width={layout.width} height={layout.height} class={styles.cords}>
          {layout.links.map(({ from, to }) => (
            <Link key={`${from} ${to}`} from={nodes.get(from)} to={nodes.get(to)} layout={layout} />
          ))}
          {cords.map((cord) => {
            const from = nodes.get(cord.flight.from);
            const to = nodes.get(cord.flight.to);
            return (
              from &&
              to && (
                <CordLine
                  key={cord.flight.key}
                  cord={cord}
                  path={cordPath(from, to, layout.labels, cord.place)}
                  row={rows.get(cord.flight.from)}
                  isChosen={cord.flight.key === chosen}
                  onChoose={() => choose(cord.flight.key === chosen ? undefined : cord.flight.key)}
                />
              )
            );
          })}
        </svg>
        {layout.nodes.map((node) => {
          const row = rows.get(node.id);
          const place = { node, cell: layout.cell, labels: layout.labels };
          return row ? (
            <AgentNode key={node.id} {...place} row={row} isWanted={wanted.has(node.id)} />
          ) : (
            <PersonNode key={node.id} {...place} />
          );
        })}
      </div>
      <p class={styles.count}>
        {open === 0 ? t("board.idle") : counted("board.cords.one", "board.cords.many", open)}
        {dead > 0 && (
          <>
            {" "}
            <a href="/lost">{counted("board.dead.one", "board.dead.many", dead)}</a>
          </>
        )}
      </p>
      {flight && <MessageTicket flight={flight} onClose={() => choose(undefined)} />}
    </div>
  );
}

function Link({
  from,
  to,
  layout,
}: {
  readonly from: ReturnType<typeof layOut>["nodes"][number] | undefined;
  readonly to: ReturnType<typeof layOut>["nodes"][number] | undefined;
  readonly layout: ReturnType<typeof layOut>;
}) {
  if (!from || !to) return null;
  return <path class={styles.link} d={cordPath(from, to, layout.labels, 0).d} />;
}
