import { useEffect, useState } from "preact/hooks";
import { useTeam } from "../../state/page-state.ts";
import type { BoardTeam } from "./layout.ts";

/** Who may message whom, as the team file says; empty until the team has told. */
export function useMayMessage(): BoardTeam["edges"] {
  const team = useTeam();
  const isLive = team.link.value.kind === "live";
  const [edges, setEdges] = useState<BoardTeam["edges"]>([]);
  useEffect(() => {
    if (!isLive) return;
    team.client.request("team", {}).then(
      ({ agents }) =>
        setEdges(
          agents.flatMap(({ id, may_message: others }) => others.map((to) => ({ from: id, to }))),
        ),
      // Without them the board still has the lead, and the others beside it.
      () => undefined,
    );
  }, [team, isLive]);
  return edges;
}
