import type { PermissionMode, StoredText } from "agent-switchboard/wire";
import { useContext, useId, useState } from "preact/hooks";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import type { RequestOf } from "./call.ts";
import { WholeText } from "./large-text.tsx";
import { OtherKeys } from "./other-keys.tsx";
import type { TicketPart } from "./ticket-parts.ts";
import styles from "./ticket.module.css";

/** Modes that a plan may go on in; the session refuses one that its CLI cannot be put into. */
const modes = ["default", "acceptEdits", "auto"] as const satisfies readonly PermissionMode[];

/** May the model go on with this plan, as it is or as the person has changed it, and in which mode? */
export function PlanForm(part: TicketPart<RequestOf<"plan">>) {
  const { request, deciding, isDead } = part;
  const [mode, setMode] = useState<(typeof modes)[number] | undefined>(undefined);
  const [edited, setEdited] = useState<string | undefined>(undefined);
  const name = useId();
  const read = useReader();
  const approve = (): void => {
    if (isDead) return;
    deciding.decide({
      kind: "approve",
      ...(mode !== undefined && { mode }),
      ...(edited !== undefined && edited !== request.plan && { plan: edited }),
    });
  };
  const change = (): void => void read(request.plan).then(setEdited, deciding.refuse);
  return (
    <div class={styles.deciders}>
      {edited !== undefined && (
        <label class={styles.field}>
          {t("calls.plan")}
          <textarea
            class={styles.code}
            rows={Math.min(16, Math.max(4, edited.split("\n").length))}
            value={edited}
            onInput={(event) => setEdited(event.currentTarget.value)}
          />
        </label>
      )}
      <fieldset class={styles.question}>
        <legend>{t("calls.goOnIn")}</legend>
        {[undefined, ...modes].map((each) => (
          <label key={each ?? ""} class={styles.choice}>
            <input type="radio" name={name} checked={mode === each} onInput={() => setMode(each)} />
            <span>{each === undefined ? t("calls.mode.before") : t(`calls.mode.${each}`)}</span>
          </label>
        ))}
      </fieldset>
      <OtherKeys {...part} denyWord="calls.keepPlanning" own={{ y: approve, c: change }}>
        <Key letter="y" tone="go" isDisabled={isDead} onClick={approve}>
          {deciding.sent === "approve" ? t("calls.sending") : t("calls.approvePlan")}
        </Key>
        {edited === undefined && (
          <Key letter="c" isDisabled={isDead} onClick={change}>
            {t("calls.change")}
          </Key>
        )}
      </OtherKeys>
    </div>
  );
}

function useReader(): (text: StoredText) => Promise<string> {
  const load = useContext(WholeText);
  return async (text) => {
    if (typeof text === "string") return text;
    return load ? load(text.blob) : text.preview;
  };
}
