import { VisibleText } from "../../characters/visible-text.tsx";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isComposing } from "../../ui/key-press.ts";
import { Key } from "../../ui/key.tsx";
import { counted, t, timeOfDay } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import type { Hit } from "./find-state.ts";
import { FindState } from "./find-state.ts";
import { paint, unpaint } from "./paint.ts";
import styles from "./find-bar.module.css";

const PAUSE_MS = 250;

/** Finds a text in the whole conversation, not only in what is in the document. */
export function FindBar({ onClose }: { readonly onClose: () => void }) {
  const { state } = useTalk();
  const find = useMemo(() => new FindState(state), [state]);
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    input.current?.focus();
    return unpaint;
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => {
      void find.search(typed.trim());
      paint(typed.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const close = (): void => {
    onClose();
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return (
    <search class={styles.bar}>
      <form
        class={styles.line}
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (event.key === "Escape" && !isComposing(event)) close();
        }}
      >
        <input
          ref={input}
          class={styles.input}
          type="search"
          maxLength={200}
          aria-label={t("find.title")}
          aria-description={t("find.again")}
          placeholder={t("find.title")}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Key onClick={close}>{t("find.close")}</Key>
      </form>
      <p class={styles.state} role="status">
        {stateWords(find)}
      </p>
      {!find.seesAll && <p class={styles.state}>{t("find.asleep")}</p>}
      <Hits find={find} />
    </search>
  );
}

function stateWords(find: FindState): string {
  if (find.problem.value !== undefined) return find.problem.value;
  if (find.text.value === "") return "";
  if (find.isSearching.value) return t("find.searching");
  const count = find.hits.value.length;
  const sum = count === 0 ? t("find.none") : counted("find.one", "find.many", count);
  return find.hasMore.value || !find.seesAll ? sum : `${sum} · ${t("find.allSearched")}`;
}

function Hits({ find }: { readonly find: FindState }) {
  const hits = find.hits.value;
  if (hits.length === 0 && !find.hasMore.value) return null;
  return (
    <ol class={styles.hits}>
      {hits.map((hit) => (
        <li key={`${hit.seq}/${hit.requestId ?? hit.messageId ?? hit.preview}`}>
          <HitKey hit={hit} />
        </li>
      ))}
      {find.hasMore.value && (
        <li>
          <button type="button" class={styles.hit} onClick={() => void find.more()}>
            {t("find.more")}
          </button>
        </li>
      )}
    </ol>
  );
}

function HitKey({ hit }: { readonly hit: Hit }) {
  const { goTo } = useTalk();
  const [isGone, setGone] = useState(false);
  const go = async (): Promise<void> => {
    setGone(!(await goTo.current(hit)));
    paint(hit.text);
  };
  return (
    <button
      type="button"
      class={styles.hit}
      onClick={() => {
        void go();
      }}
    >
      {hit.at !== undefined && <time dateTime={hit.at}>{timeOfDay(hit.at)}</time>}
      <Preview hit={hit} />
      {isGone && <span role="alert">{t("find.gone")}</span>}
    </button>
  );
}

function Preview({ hit: { preview, text } }: { readonly hit: Hit }) {
  const at = preview.toLowerCase().indexOf(text.toLowerCase());
  if (at < 0)
    return (
      <span class={styles.preview}>
        <VisibleText text={preview} />
      </span>
    );
  const end = at + text.length;
  return (
    <span class={styles.preview}>
      <VisibleText text={preview.slice(0, at)} />
      <mark>
        <VisibleText text={preview.slice(at, end)} />
      </mark>
      <VisibleText text={preview.slice(end)} />
    </span>
  );
}
