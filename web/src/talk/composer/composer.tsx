import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePage } from "../../state/page-state.ts";
import { sendKey } from "../../state/preferences.ts";
import { Key } from "../../ui/key.tsx";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import { ComposerState } from "./composer-state.ts";
import { PopUp, usePopUp } from "./pop-up.tsx";
import { PriorityKey } from "./priority-key.tsx";
import { Queue } from "./queue.tsx";
import { sends } from "./send-rule.ts";
import { StopKey } from "./stop-key.tsx";
import { PictureList } from "./picture-list.tsx";
import styles from "./composer.module.css";

/** Where a person writes. It is never disabled, and is drawn apart from the conversation, so that typing never waits. */
export function Composer({ agent }: { readonly agent: string | undefined }) {
  const { actions, goToEnd, state } = useTalk();
  const { signedIn } = usePage();
  const composer = useMemo(() => new ComposerState(`${signedIn.serves}/${agent ?? ""}`), [state]);
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  useEffect(() => {
    void composer.open();
    const keep = (): void => composer.keep();
    addEventListener("pagehide", keep);
    return () => {
      keep();
      removeEventListener("pagehide", keep);
    };
  }, [composer]);
  const popUp = usePopUp({ composer, field, caret, setCaret });
  const { send } = actions;
  const list = popUp.listbox.fieldProps;
  if (!send) return null;
  const submit = (): void => {
    if (composer.send(send)) goToEnd.current();
    field.current?.focus();
  };
  return (
    <form
      class={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void composer.addFiles(event.dataTransfer?.files ?? []);
      }}
    >
      <Queue composer={composer} />
      {composer.problem.value !== undefined && (
        <p class={styles.problem} role="alert">
          {composer.problem.value}
        </p>
      )}
      <PictureList composer={composer} />
      <div class={styles.line}>
        <div class={styles.fieldFrame}>
          <PopUp popUp={popUp} />
          <textarea
            ref={field}
            class={styles.field}
            rows={2}
            // A field of several lines may not be a combobox; it may have a list of suggestions.
            aria-autocomplete="list"
            aria-controls={list["aria-controls"]}
            aria-activedescendant={list["aria-activedescendant"]}
            aria-label={agent === undefined ? t("talk.writeHere") : t("talk.write", { agent })}
            aria-description={t(sendKey.value === "enter" ? "talk.sendEnter" : "talk.sendCtrl")}
            placeholder={t("talk.writeHere")}
            value={composer.text.value}
            onInput={({ currentTarget }) => {
              composer.type(currentTarget.value);
              setCaret(currentTarget.selectionStart);
            }}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
            onKeyDown={(event) => {
              if (popUp.listbox.takesKey(event)) return;
              if (!sends(event, sendKey.value)) return;
              event.preventDefault();
              submit();
            }}
            onPaste={(event) => {
              const files = [...(event.clipboardData?.files ?? [])];
              if (files.length === 0) return;
              event.preventDefault();
              void composer.addFiles(files);
            }}
          />
        </div>
        <div class={styles.keys}>
          <PriorityKey composer={composer} />
          <div class={styles.act}>
            <Key type="submit" tone="go">
              {t("talk.send")}
            </Key>
            <StopKey />
          </div>
        </div>
      </div>
    </form>
  );
}
