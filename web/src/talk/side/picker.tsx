import styles from "./talk-strip.module.css";

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** One setting: a list to choose from, or what holds when there is nothing to choose. */
export function Picker({
  label,
  value,
  options,
  shown,
  onChoose,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Choice[];
  readonly shown: string | undefined;
  readonly onChoose: ((value: string) => void) | undefined;
}) {
  if (shown === undefined && (!onChoose || options.length === 0)) return null;
  if (!onChoose || options.length === 0) {
    return (
      <span class={styles.picker} title={label}>
        <span class="unseen">{label}</span>
        <span class={styles.value}>{shown}</span>
      </span>
    );
  }
  const isListed = options.some((each) => each.value === value);
  return (
    <span class={styles.picker}>
      <select
        aria-label={label}
        title={label}
        value={value}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.value;
          // What holds stays on show until an event tells of the change.
          currentTarget.value = value;
          onChoose(wanted);
        }}
      >
        {!isListed && <option value={value}>{shown ?? (value === "" ? label : value)}</option>}
        {options.map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </span>
  );
}
