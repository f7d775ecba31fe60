import type { ComponentChildren } from "preact";
import { Key } from "../ui/key.tsx";
import type { WordKey } from "../words/words.ts";
import { t } from "../words/words.ts";
import { DenyForm } from "./deny-form.tsx";
import { MoreTime } from "./more-time.tsx";
import { usePanels } from "./panels.ts";
import type { TicketPart } from "./ticket-parts.ts";
import styles from "./ticket.module.css";

/** The buttons that forms have beside their own: no, and more time. */
export function OtherKeys({
  call,
  deciding,
  isDead,
  keys,
  denyWord,
  own = {},
  children,
}: TicketPart & {
  /** Absent: the form has its own way to say no. */
  readonly denyWord?: WordKey;
  /** Letters of the form itself. */
  readonly own?: Readonly<Record<string, () => void>>;
  readonly children: ComponentChildren;
}) {
  const panels = usePanels();
  const { request } = call;
  const canWait = request.type !== "notice" && request.deadline !== undefined;
  // While a part of it is open, a letter was meant for that part.
  keys.current =
    panels.open === undefined
      ? {
          ...(denyWord !== undefined && { n: () => panels.show("deny") }),
          ...own,
          ...(canWait && { h: () => panels.show("hold") }),
        }
      : {};
  return (
    <div ref={panels.ref} class={styles.deciders}>
      {panels.open === undefined && (
        <div class={styles.keys}>
          {children}
          {denyWord !== undefined && (
            <Key letter="n" tone="stop" isDisabled={isDead} onClick={() => panels.show("deny")}>
              {t(denyWord)}
            </Key>
          )}
          {canWait && (
            <Key letter="h" isDisabled={isDead} onClick={() => panels.show("hold")}>
              {t("calls.hold")}
            </Key>
          )}
        </div>
      )}
      {panels.open === "deny" && <DenyForm {...{ deciding, isDead }} onBack={panels.close} />}
      {panels.open === "hold" && <MoreTime {...{ deciding, isDead }} onDone={panels.close} />}
    </div>
  );
}
