import { useState } from "preact/hooks";
import { isComposing } from "../ui/key-press.ts";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import type { Deciding } from "./use-decision.ts";
import { useFirstFocus } from "./use-first-focus.ts";
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
  const ref = useFirstFocus<HTMLFormElement>("textarea");
  const deny = (): void => {
    if (isDead) return;
    const why = reason.trim();
    deciding.decide({ kind: "deny", ...(why !== "" && { reason: why }), interrupt });
  };
  return (
    <form
      ref={ref}
      class={styles.panel}
      onSubmit={(event) => {
        event.preventDefault();
        deny();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
        if (!(event.target instanceof HTMLTextAreaElement)) return;
        event.preventDefault();
        deny();
      }}
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
      <div class={styles.row}>
        <Key type="submit" tone="stop" isDisabled={isDead}>
          {deciding.sent === "deny" ? t("calls.sending") : t("calls.deny")}
        </Key>
        <Key onClick={onBack}>{t("calls.back")}</Key>
      </div>
    </form>
  );
}
