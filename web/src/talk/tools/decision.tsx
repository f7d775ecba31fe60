import { VisibleText } from "../../code/visible-text.tsx";
import type { SessionEventOf } from "agent-switchboard/wire";
import { t } from "../../words/words.ts";
import { InputTree } from "../../calls/input-tree.tsx";
import styles from "./decision.module.css";

type Resolved = SessionEventOf<"approval_resolved">;

/** Who decided about a call, and how far the permission reaches. */
export function Decision({ decision }: { readonly decision: Resolved }) {
  const { outcome, scope, reason, updated_input: changed } = decision;
  return (
    <div class={styles.decision} data-outcome={outcome}>
      <p>
        <VisibleText text={whoDecided(decision)} />
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

function whoDecided({ outcome, by, rule }: Resolved): string {
  const what = t(`tool.decision.${outcome}`);
  if (by !== undefined) return t("tool.by", { what, who: by });
  return rule === undefined ? what : t("tool.byRule", { what, rule });
}
