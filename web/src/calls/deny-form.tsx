import { useState } from "preact/hooks";
import { t } from "../words/words.ts";
import { PanelForm } from "./panel-form.tsx";
import type { Deciding } from "./use-decision.ts";
import styles from "./ticket.module.css";

/** Says no, and why: the model reads it. */
export function DenyForm({
  deciding,
  isDead,
  onBack,
}: {
  readonly deciding: Deciding;
  readonly isDead: boolean;
  readonly onBack: () => void;
}) {
  const [reason, setReason] = useState("");
  const [interrupt, setInterrupt] = useState(false);
  const deny = (): void => {
    const why = reason.trim();
    deciding.decide({ kind: "deny", ...(why !== "" && { reason: why }), interrupt });
  };
  return (
    <PanelForm
      verb={t("calls.deny")}
      tone="stop"
      isSending={deciding.sent === "deny"}
      isSentByEnter
      onSend={deny}
      {...{ isDead, onBack }}
    >
      <label class={styles.field}>
        {t("calls.reason")}
        <textarea
          rows={2}
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <label class={styles.choice}>
        <input
          type="checkbox"
          checked={interrupt}
          onInput={(event) => setInterrupt(event.currentTarget.checked)}
        />
        {t("calls.endTurn")}
      </label>
    </PanelForm>
  );
}
