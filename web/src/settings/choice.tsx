import type { Signal } from "@preact/signals";
import { useId } from "preact/hooks";
import styles from "./settings.module.css";

/** One setting: all its values side by side. */
export function Choice<Value extends string>({
  label,
  setting,
  options,
}: {
  readonly label: string;
  readonly setting: Signal<Value>;
  readonly options: readonly (readonly [value: Value, word: string])[];
}) {
  const name = useId();
  return (
    <fieldset class={styles.choice}>
      <legend>{label}</legend>
      <div>
        {options.map(([value, word]) => (
          <label key={value}>
            <input
              type="radio"
              name={name}
              value={value}
              checked={setting.value === value}
              onInput={() => (setting.value = value)}
            />
            <span>{word}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
