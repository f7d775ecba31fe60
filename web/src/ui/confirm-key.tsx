import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../words/words.ts";
import { Key } from "./key.tsx";
import styles from "./confirm-key.module.css";

/** Between the two presses there is time, so that a double click decides nothing. */
const DEAD_MS = 400;

interface ConfirmKeyProps {
  /** What it does, a verb. */
  readonly children: string;
  /** What a person is asked before it is done. */
  readonly question: string;
  /** What happens then, a verb and what it is done to. */
  readonly yes: string;
  readonly onConfirm: () => void;
  readonly isDisabled?: boolean;
  readonly label?: string;
}

/** A button whose deed cannot be taken back: it asks in its own place first. The focus is moved to the harmless answer. */
export function ConfirmKey(props: ConfirmKeyProps) {
  const { children, question, yes, onConfirm, isDisabled, label } = props;
  const [asked, setAsked] = useState<number | undefined>(undefined);
  const box = useRef<HTMLSpanElement>(null);
  const hasAsked = useRef(false);
  useEffect(() => {
    if (asked !== undefined) hasAsked.current = true;
    if (!hasAsked.current) return;
    // Asking: to "No". Afterwards: back to the button that asked.
    box.current?.querySelector<HTMLButtonElement>("button:last-of-type")?.focus();
  }, [asked]);
  if (asked === undefined) {
    return (
      <span ref={box}>
        <Key
          tone="stop"
          onClick={() => setAsked(performance.now())}
          {...(isDisabled !== undefined && { isDisabled })}
          {...(label !== undefined && { label })}
        >
          {children}
        </Key>
      </span>
    );
  }
  return (
    <span ref={box} class={styles.question} role="group" aria-label={question}>
      <span>{question}</span>
      <Key
        tone="stop"
        onClick={() => {
          if (performance.now() - asked < DEAD_MS) return;
          setAsked(undefined);
          onConfirm();
        }}
      >
        {yes}
      </Key>
      <Key onClick={() => setAsked(undefined)}>{t("ask.no")}</Key>
    </span>
  );
}
