import type { ComponentChildren } from "preact";
import styles from "./key.module.css";

interface KeyProps {
  readonly children: ComponentChildren;
  readonly onClick?: (event: MouseEvent) => void;
  /** The letter that presses it while its ticket has the focus. */
  readonly letter?: string;
  readonly tone?: "plain" | "go" | "stop";
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly label?: string;
  readonly type?: "button" | "submit";
}

/** A button of the board: it says with a verb what it does. */
export function Key({ children, onClick, letter, tone, isDisabled, ...rest }: KeyProps) {
  return (
    <button
      type={rest.type ?? "button"}
      class={styles.key}
      data-tone={tone ?? "plain"}
      aria-disabled={isDisabled === true ? "true" : undefined}
      aria-pressed={rest.isPressed}
      aria-label={rest.label}
      onClick={(event) => {
        if (isDisabled !== true) onClick?.(event);
      }}
    >
      <span>{children}</span>
      {letter !== undefined && <kbd aria-hidden="true">{letter}</kbd>}
    </button>
  );
}
