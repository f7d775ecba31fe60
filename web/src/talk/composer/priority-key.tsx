import type { MessagePriority } from "agent-switchboard/wire";
import { useId } from "preact/hooks";
import { t } from "../../words/words.ts";
import type { ComposerState } from "./composer-state.ts";
import styles from "./priority-key.module.css";

const places: readonly MessagePriority[] = ["now", "next", "later"];

/** The three-position key: when a message takes effect while a turn runs. */
export function PriorityKey({ composer }: { readonly composer: ComposerState }) {
  const name = useId();
  return (
    <fieldset class={styles.key}>
      <legend class="unseen">{t("talk.when")}</legend>
      {places.map((place) => (
        <label key={place} title={t(`talk.${place}Help`)}>
          <input
            type="radio"
            name={name}
            value={place}
            checked={composer.priority.value === place}
            onChange={() => (composer.priority.value = place)}
          />
          <span>{t(`talk.${place}`)}</span>
        </label>
      ))}
    </fieldset>
  );
}
