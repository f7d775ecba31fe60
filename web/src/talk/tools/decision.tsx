import { VisibleText } from "../../characters/visible-text.tsx";
import type { SessionEventOf } from "agent-switchboard/wire";
import { useComputed } from "@preact/signals";
import { useCalls } from "../../calls/use-calls.ts";
import { usePage } from "../../state/page-state.ts";
import { t } from "../../words/words.ts";
import { InputTree } from "../../calls/input-tree.tsx";
import styles from "./decision.module.css";

type Resolved = SessionEventOf<"approval_resolved">;

/** Who decided about a call, and how far the permission reaches. */
export function Decision({ decision }: { readonly decision: Resolved }) {
  const { outcome, scope, reason, updated_input: changed } = decision;
  const by = useDecider(decision);
  return (
    <div class={styles.decision} data-outcome={outcome}>
      <p>
        <VisibleText text={whoDecided(decision, by)} />
        {scope !== undefined && outcome === "allowed" && ` · ${t(`tool.scope.${scope}`)}`}
      </p>
      {reason !== undefined && outcome === "denied" && (
        <p>
          <VisibleText text={t("tool.reason", { why: reason })} />
        </p>
      )}
      {changed && (
        <>
          <p>{t("tool.changedInput")}</p>
          <InputTree value={changed} />
        </>
      )}
    </div>
  );
}

/** In a team the session hears of decisions from the team's own process. Who made them is in the timeline. */
function useDecider({ request_id: id, by }: Resolved): string | undefined {
  const { team } = usePage();
  const { decider } = useCalls();
  return useComputed(() => {
    // Of a rule only the agent's own log has the words.
    if (!team || by === undefined) return by;
    void team.tick.value;
    return decider.outcomeOf(id)?.by ?? by;
  }).value;
}

function whoDecided({ outcome, rule }: Resolved, by: string | undefined): string {
  const what = t(`tool.decision.${outcome}`);
  if (by !== undefined) return t("tool.by", { what, who: by });
  return rule === undefined ? what : t("tool.byRule", { what, rule });
}
