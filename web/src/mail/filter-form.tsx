import { useEffect, useState } from "preact/hooks";
import { useTeam } from "../state/page-state.ts";
import { t } from "../words/words.ts";
import type { MailFilter, Span } from "./filter.ts";
import { levels, messageTypes, spans } from "./filter.ts";
import fields from "../ui/fields.module.css";
import styles from "./mail.module.css";

const TYPING_MS = 300;

/** What of the log is shown. */
export function FilterForm({
  filter,
  onFilter,
}: {
  readonly filter: MailFilter;
  readonly onFilter: (filter: MailFilter) => void;
}) {
  const agents = useTeam().agents.value.map(({ id }) => id);
  const change = (part: Partial<MailFilter>): void => onFilter({ ...filter, ...part });
  const [text, setText] = useState(filter.text);
  useEffect(() => {
    if (text === filter.text) return undefined;
    const timer = setTimeout(() => change({ text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <form class={`${fields.fields} ${styles.filter}`} onSubmit={(event) => event.preventDefault()}>
      <Choice
        name={t("mail.level")}
        value={filter.level}
        values={levels.map((level) => [level, t(`mail.level.${level}`)])}
        onChoose={(level) => change({ level: level as MailFilter["level"] })}
      />
      <Choice
        name={t("board.from")}
        value={filter.from}
        values={[["", t("ask.all")], ["user", t("board.you")], ...agents.map(twice)]}
        onChoose={(from) => change({ from })}
      />
      <Choice
        name={t("board.to")}
        value={filter.to}
        values={[["", t("ask.all")], ["user", t("board.you")], ...agents.map(twice)]}
        onChoose={(to) => change({ to })}
      />
      <Choice
        name={t("mail.type")}
        value={filter.type}
        values={[["", t("ask.all")], ...messageTypes.map(twice)]}
        onChoose={(type) => change({ type: type as MailFilter["type"] })}
      />
      <Choice
        name={t("mail.span")}
        value={filter.span}
        values={spans.map((span) => [span, t(`mail.span.${span}`)])}
        onChoose={(span) => change({ span: span as Span })}
      />
      {filter.span === "own" && (
        <>
          <label>
            <span>{t("mail.since")}</span>
            <input
              type="datetime-local"
              value={filter.since}
              onChange={({ currentTarget }) => change({ since: currentTarget.value })}
            />
          </label>
          <label>
            <span>{t("mail.until")}</span>
            <input
              type="datetime-local"
              value={filter.until}
              onChange={({ currentTarget }) => change({ until: currentTarget.value })}
            />
          </label>
        </>
      )}
      <label class={styles.text}>
        <span>{t("mail.text")}</span>
        <input
          type="search"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
    </form>
  );
}

const twice = (text: string): readonly [string, string] => [text, text];

function Choice({
  name,
  value,
  values,
  onChoose,
}: {
  readonly name: string;
  readonly value: string;
  readonly values: readonly (readonly [string, string])[];
  readonly onChoose: (value: string) => void;
}) {
  return (
    <label>
      <span>{name}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {values.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
