import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Listbox } from "../../ui/listbox.tsx";
import { ListboxOptions, useListbox } from "../../ui/listbox.tsx";
import { t } from "../../words/words.ts";
import { useTalk } from "../talk-context.ts";
import type { ComposerState } from "./composer-state.ts";
import { fittingCommands } from "./fitting-commands.ts";
import type { TypedPart } from "./typed-part.ts";
import { typedPart, withCompletion } from "./typed-part.ts";
import styles from "./composer.module.css";

interface Option {
  /** What is put into the text. */
  readonly text: string;
  readonly label: string;
  readonly about?: string | undefined;
}

export interface ComposerPopUp {
  readonly listbox: Listbox;
  readonly options: readonly Option[];
  readonly kind: TypedPart["kind"] | undefined;
}

interface Typing {
  readonly composer: ComposerState;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly caret: number;
  readonly setCaret: (caret: number) => void;
}

/** The commands and files that fit what the person is typing. */
export function usePopUp({ composer, field, caret, setCaret }: Typing): ComposerPopUp {
  const text = composer.text.value;
  const part = typedPart(text, caret);
  const query = part && `${part.kind} ${part.query}`;
  const [closedAt, setClosedAt] = useState<string>();
  const files = useFiles(part);
  const commands = useCommands(part);
  const options = part?.kind === "command" ? commands : files;
  const listbox = useListbox({
    count: part ? options.length : 0,
    isOpen: part !== undefined && options.length > 0 && closedAt !== query,
    query: query ?? "",
    onClose: () => setClosedAt(query),
    onChoose: (index) => {
      const option = options[index];
      if (!part || !option) return;
      const next = withCompletion(text, part, option.text);
      composer.type(next.text);
      setCaret(next.caret);
      requestAnimationFrame(() => field.current?.setSelectionRange(next.caret, next.caret));
    },
  });
  return { listbox, options, kind: part?.kind };
}

function useCommands(part: TypedPart | undefined): readonly Option[] {
  const { state } = useTalk();
  if (part?.kind !== "command") return [];
  return fittingCommands(state.choices.value.slash_commands ?? [], part.query).map((command) => ({
    text: `/${command.name}`,
    label: `/${command.name}${command.argument_hint === undefined ? "" : ` ${command.argument_hint}`}`,
    about: command.description,
  }));
}

const PAUSE_MS = 120;

function useFiles(part: TypedPart | undefined): readonly Option[] {
  const { actions } = useTalk();
  const [found, setFound] = useState<readonly Option[]>([]);
  const query = part?.kind === "file" ? part.query : undefined;
  useEffect(() => {
    const { completeFile } = actions;
    if (query === undefined || !completeFile) {
      setFound([]);
      return undefined;
    }
    let isOld = false;
    const show = (options: readonly Option[]): void => {
      if (!isOld) setFound(options);
    };
    const timer = setTimeout(() => {
      completeFile(query).then(
        ({ items }) => show(items.map(({ path }) => ({ text: `@${path}`, label: path }))),
        () => show([]),
      );
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [query, actions]);
  return found;
}

export function PopUp({ popUp: { listbox, options, kind } }: { readonly popUp: ComposerPopUp }) {
  if (kind === undefined) return null;
  return (
    <div class={styles.popUp}>
      <ListboxOptions
        listbox={listbox}
        label={t(kind === "command" ? "talk.commands" : "talk.files")}
      >
        {(index) => (
          <>
            <span class={styles.optionName}>{options[index]?.label}</span>
            <span class={styles.optionAbout}>{options[index]?.about}</span>
          </>
        )}
      </ListboxOptions>
    </div>
  );
}
