import type { JsonObject } from "agent-switchboard/wire";
import { useContext, useEffect, useState } from "preact/hooks";
import { t, wordFor } from "../words/words.ts";
import { hasBlobs, withBlobs } from "./blobs.ts";
import type { RequestOf } from "./call.ts";
import { changedInput, editedField, editedText } from "./edited-input.ts";
import { WholeText } from "./large-text.tsx";
import { PanelForm } from "./panel-form.tsx";
import type { TicketPart } from "./ticket-parts.ts";
import styles from "./ticket.module.css";

/** Changes the input before the tool runs: a command, a new text, or all of it as JSON. */
export function ChangeForm({
  request,
  deciding,
  isDead,
  onBack,
}: TicketPart<RequestOf<"approval_request">> & { readonly onBack: () => void }) {
  const input = useWholeInput(request.input, deciding.refuse);
  return input === undefined ? (
    <p>{t("app.loading")}</p>
  ) : (
    <Editor {...{ input, deciding, isDead, onBack }} tool={request.tool} />
  );
}

function Editor({
  tool,
  input,
  deciding,
  isDead,
  onBack,
}: Pick<TicketPart, "deciding" | "isDead"> & {
  readonly tool: string;
  readonly input: JsonObject;
  readonly onBack: () => void;
}) {
  const field = editedField(tool, input);
  const [text, setText] = useState(() => editedText(input, field));
  const allow = (): void => {
    const updatedInput = changedInput(input, field, text);
    if (updatedInput === undefined) deciding.refuse(new Error(t("calls.notAnObject")));
    else deciding.decide({ kind: "approve", scope: "once", updatedInput });
  };
  return (
    <PanelForm
      verb={t("calls.allowChanged")}
      tone="go"
      isSending={deciding.sent === "approve"}
      onSend={allow}
      {...{ isDead, onBack }}
    >
      <label class={styles.field}>
        {field === undefined ? t("calls.changeJson") : (wordFor("calls.field", field) ?? field)}
        <textarea
          class={styles.code}
          rows={Math.min(16, Math.max(3, text.split("\n").length))}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
    </PanelForm>
  );
}

/** Parts that were too large for the event are fetched first: what is sent back is the whole input. */
function useWholeInput(
  input: JsonObject,
  onError: (error: unknown) => void,
): JsonObject | undefined {
  const load = useContext(WholeText);
  const [whole, setWhole] = useState(() => (hasBlobs(input) ? undefined : input));
  useEffect(() => {
    if (whole !== undefined || load === undefined) return;
    withBlobs(input, load).then((value) => setWhole(value as JsonObject), onError);
  }, []);
  return whole;
}
