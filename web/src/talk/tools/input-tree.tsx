import type { JsonValue } from "agent-switchboard/wire";
import { t } from "../../words/words.ts";
import { wordOf } from "./tool-summary.ts";
import styles from "./tool-card.module.css";

const MAX_ENTRIES = 100;
const MAX_DEPTH = 8;
const MAX_CHARS = 4000;

/** The input of a call as a tree of its fields. */
export function InputTree({ value }: { readonly value: JsonValue | undefined }) {
  return (
    <div class={styles.tree}>
      <Value value={value} depth={0} />
    </div>
  );
}

function Value({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  const word = wordOf(value);
  if (word !== undefined) return <span class={styles.value}>{cut(word)}</span>;
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) {
    return <span class={styles.value}>{cut(JSON.stringify(value) ?? "")}</span>;
  }
  return Array.isArray(value) ? (
    <List values={value} depth={depth} />
  ) : (
    <Fields value={value} depth={depth} />
  );
}

function List({ values, depth }: { readonly values: readonly unknown[]; readonly depth: number }) {
  return (
    <ol>
      {values.slice(0, MAX_ENTRIES).map((each, index) => (
        <li key={index}>
          <Value value={each} depth={depth + 1} />
        </li>
      ))}
      <More count={values.length} />
    </ol>
  );
}

function Fields({ value, depth }: { readonly value: object; readonly depth: number }) {
  const entries = Object.entries(value);
  return (
    <>
      <dl>
        {entries.slice(0, MAX_ENTRIES).map(([name, each]) => (
          <Field key={name} name={name} value={each} depth={depth} />
        ))}
      </dl>
      <More count={entries.length} />
    </>
  );
}

function Field({
  name,
  value,
  depth,
}: {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <Value value={value} depth={depth + 1} />
      </dd>
    </>
  );
}

function More({ count }: { readonly count: number }) {
  return count > MAX_ENTRIES ? <p>{t("tool.more", { n: count - MAX_ENTRIES })}</p> : null;
}

const cut = (text: string): string =>
  text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)} …` : text;
