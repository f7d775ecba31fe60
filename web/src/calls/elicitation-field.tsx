import type { FormField } from "agent-switchboard/client/core";
import { useId } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { t } from "../words/words.ts";
import styles from "./ticket.module.css";

interface FieldProps {
  readonly field: FormField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

const inputModes: Readonly<Record<string, "email" | "url">> = { email: "email", uri: "url" };

/** One field of a form, in the way that fits its kind. */
export function ElicitationField(props: FieldProps) {
  const { field } = props;
  const help = useId();
  const words = (
    <>
      <span>
        <VisibleText text={field.title} />
        {!field.isRequired && <span class={styles.optional}> {t("calls.optional")}</span>}
      </span>
      {field.description !== undefined && (
        <small id={help}>
          <VisibleText text={field.description} />
        </small>
      )}
    </>
  );
  if (field.kind === "choice" || field.kind === "choices" || field.kind === "boolean") {
    return (
      <fieldset class={styles.question}>
        <legend>{words}</legend>
        <Options {...props} />
      </fieldset>
    );
  }
  const common = {
    value: props.text,
    required: field.isRequired,
    "aria-describedby": field.description === undefined ? undefined : help,
    onInput: (event: { currentTarget: { value: string } }) =>
      props.onChange(event.currentTarget.value),
  };
  const isNumber = field.kind === "number" || field.kind === "integer";
  return (
    <label class={styles.field}>
      {words}
      {field.kind === "json" ? (
        <textarea class={styles.code} rows={4} {...common} />
      ) : (
        <input
          type="text"
          inputMode={isNumber ? "decimal" : (inputModes[field.format ?? ""] ?? "text")}
          placeholder={field.format}
          {...common}
        />
      )}
    </label>
  );
}

function Options({ field, text, onChange }: FieldProps) {
  const name = useId();
  const isMany = field.kind === "choices";
  const options =
    field.kind === "boolean"
      ? [
          { value: "true", label: t("calls.yes") },
          { value: "false", label: t("calls.no") },
        ]
      : field.options;
  const chosen = isMany ? (JSON.parse(text || "[]") as string[]) : [text];
  const toggle = (value: string): string => {
    if (!isMany) return value;
    const rest = chosen.filter((each) => each !== value);
    return JSON.stringify(rest.length < chosen.length ? rest : [...rest, value]);
  };
  return (
    <>
      {options.map(({ value, label }) => (
        <label key={value} class={styles.choice}>
          <input
            type={isMany ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(value)}
            onInput={() => onChange(toggle(value))}
          />
          <span>
            <VisibleText text={label} />
          </span>
        </label>
      ))}
    </>
  );
}
