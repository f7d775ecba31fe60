import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { isComposing } from "./key-press.ts";
import styles from "./listbox.module.css";

export interface ListboxSetup {
  /** How many options there are now. */
  readonly count: number;
  readonly isOpen: boolean;
  /** Called with the number of the option, by Enter, Tab or a click. */
  readonly onChoose: (index: number) => void;
  readonly onClose: () => void;
  /** Changes with what was typed: the first option is active again. */
  readonly query: string;
}

export interface Listbox extends ListboxSetup {
  readonly id: string;
  readonly active: number;
  readonly setActive: (index: number) => void;
  /** For the text field that the list belongs to: the focus stays there. */
  readonly fieldProps: {
    readonly role: "combobox";
    readonly "aria-autocomplete": "list";
    readonly "aria-expanded": boolean;
    readonly "aria-controls": string | undefined;
    readonly "aria-activedescendant": string | undefined;
  };
  /** To be called first with the field's keys. True: the key was for the list. */
  readonly takesKey: (event: KeyboardEvent) => boolean;
}

/** A list of options under a text field, moved through by keys while the person types on. */
export function useListbox(options: ListboxSetup): Listbox {
  const { count, isOpen, onChoose, onClose, query } = options;
  const id = useId();
  const [chosen, setActive] = useState(0);
  useEffect(() => setActive(0), [query, isOpen]);
  const active = Math.min(chosen, Math.max(count - 1, 0));
  const isShown = isOpen && count > 0;
  return {
    ...options,
    id,
    active,
    setActive,
    fieldProps: {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": isShown,
      "aria-controls": isShown ? id : undefined,
      "aria-activedescendant": isShown ? optionId(id, active) : undefined,
    },
    takesKey: (event) => {
      if (!isOpen || isComposing(event)) return false;
      const step = listStep(event, { active, count });
      if (step === undefined) return false;
      event.preventDefault();
      event.stopPropagation();
      if (step === "close") onClose();
      else if (step === "choose") onChoose(active);
      else setActive(step);
      return true;
    },
  };
}

const optionId = (list: string, index: number): string => `${list}-${index}`;

/** What a key does to a list: another option becomes active, the active one is chosen, or the list closes. */
function listStep(
  { key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent,
  { active, count }: { readonly active: number; readonly count: number },
): number | "choose" | "close" | undefined {
  if (key === "Escape") return "close";
  if (count === 0 || ctrlKey || metaKey || altKey || shiftKey) return undefined;
  if (key === "ArrowDown") return (active + 1) % count;
  if (key === "ArrowUp") return (active + count - 1) % count;
  return key === "Enter" || key === "Tab" ? "choose" : undefined;
}

/** The options themselves. */
export function ListboxOptions({
  listbox,
  label,
  children,
}: {
  readonly listbox: Listbox;
  readonly label: string;
  readonly children: (index: number) => ComponentChildren;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const { id, active, count, isOpen } = listbox;
  useEffect(() => {
    ref.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active, count]);
  if (!isOpen || count === 0) return null;
  return (
    <div ref={ref} id={id} role="listbox" aria-label={label} class={styles.list}>
      {Array.from({ length: count }, (_, index) => (
        <div
          key={index}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          class={styles.option}
          // The focus stays in the text field.
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => {
            if (index !== active) listbox.setActive(index);
          }}
          onClick={() => listbox.onChoose(index)}
        >
          {children(index)}
        </div>
      ))}
    </div>
  );
}
