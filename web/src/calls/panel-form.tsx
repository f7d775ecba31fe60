import type { ComponentChildren } from "preact";
import { isComposing } from "../ui/key-press.ts";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import { useFirstFocus } from "./use-first-focus.ts";
import styles from "./ticket.module.css";

/** The form beneath the buttons of a ticket: what it asks for, the key that decides, and the way back. Its first field has the focus. */
export function PanelForm({
  verb,
  tone,
  isSending,
  isDead,
  isSentByEnter = false,
  onSend,
  onBack,
  children,
}: {
  readonly verb: string;
  readonly tone: "go" | "stop";
  readonly isSending: boolean;
  readonly isDead: boolean;
  /** Enter in its text sends it; Shift and Enter begin a line. */
  readonly isSentByEnter?: boolean;
  readonly onSend: () => void;
  readonly onBack: () => void;
  readonly children: ComponentChildren;
}) {
  const ref = useFirstFocus<HTMLFormElement>("textarea");
  const send = (event: Event): void => {
    event.preventDefault();
    if (!isDead) onSend();
  };
  return (
    <form
      ref={ref}
      class={styles.panel}
      onSubmit={send}
      onKeyDown={(event) => {
        if (!isSentByEnter || !(event.target instanceof HTMLTextAreaElement)) return;
        if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) send(event);
      }}
    >
      {children}
      <div class={styles.row}>
        <Key type="submit" tone={tone} isDisabled={isDead}>
          {isSending ? t("calls.sending") : verb}
        </Key>
        <Key onClick={onBack}>{t("calls.back")}</Key>
      </div>
    </form>
  );
}
