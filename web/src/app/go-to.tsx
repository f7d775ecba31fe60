import { useLocation } from "preact-iso";
import { useMemo, useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { usePage } from "../state/page-state.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListboxOptions, useListbox } from "../ui/listbox.tsx";
import { t } from "../words/words.ts";
import { destinations } from "./destinations.ts";
import { found } from "./go-to-items.ts";
import styles from "./go-to.module.css";

/** Goes to any view, agent, task or message, by a few letters of it. */
export default function GoTo({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const { route } = useLocation();
  const [query, setQuery] = useState("");
  // As they were when the sheet was opened: what is listed does not move under the person's hand.
  const all = useMemo(() => destinations(page), [page]);
  const hits = useMemo(() => found(all, query), [all, query]);
  const listbox = useListbox({
    count: hits.length,
    isOpen: true,
    query,
    onClose,
    onChoose: (index) => {
      const hit = hits[index];
      onClose();
      if (hit) route(hit.path);
    },
  });
  return (
    <Dialog title={t("goTo.title")} onClose={onClose}>
      <input
        {...listbox.fieldProps}
        type="text"
        class={styles.field}
        aria-label={t("goTo.label")}
        placeholder={t("goTo.label")}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => void listbox.takesKey(event)}
      />
      <ListboxOptions listbox={listbox} label={t("goTo.found")}>
        {(index) => {
          const hit = hits[index];
          return (
            hit && (
              <>
                <span class={styles.kind}>{t(`goTo.${hit.kind}`)}</span>
                <span class={styles.text}>
                  <VisibleText text={hit.text} />
                </span>
                <span class={styles.more}>
                  <VisibleText text={hit.more} />
                </span>
              </>
            )
          );
        }}
      </ListboxOptions>
      {hits.length === 0 && <p role="status">{t("goTo.nothing")}</p>}
    </Dialog>
  );
}
