import type { ReadonlySignal, Signal } from "@preact/signals";
import { useComputed } from "@preact/signals";
import type { ConversationItem } from "agent-switchboard/client/core";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TalkState } from "../state/talk-state.ts";
import type { TalkActions } from "./talk-actions.ts";

export interface Talk {
  readonly state: TalkState;
  readonly actions: TalkActions;
  /** The text or thought that the model is adding to now. */
  readonly growing: ReadonlySignal<ConversationItem | undefined>;
  /** The key of the row that a search has led to: it is open. */
  readonly found: Signal<string | undefined>;
  /** A text that was too large for its event. */
  readonly wholeText: (blob: string) => Promise<string>;
  /** The view goes to the newest, as after a message of one's own. */
  readonly goToEnd: { current: () => void };
  /** The view goes to an event of the log. */
  readonly goTo: { current: (place: TalkPlace) => Promise<boolean> };
}

/** A place in the conversation, as a search finds it. */
export interface TalkPlace {
  readonly seq: number;
  readonly turnId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly messageId?: string | undefined;
  /** Of a place in a turn: what it is in. */
  readonly kind?: ConversationItem["kind"] | undefined;
  /** What is marked there. */
  readonly text: string;
}

export const TalkContext = createContext<Talk | undefined>(undefined);

export function useTalk(): Talk {
  const talk = useContext(TalkContext);
  if (talk === undefined) throw new Error("This part stands outside a talk.");
  return talk;
}

/** By its key: whatever is drawn first, the item or the news that it has grown, what grows stays what grows. */
export function useIsGrowing({ key }: ConversationItem): boolean {
  const { growing } = useTalk();
  return useComputed(() => growing.value?.key === key).value;
}

/** Whether a search has led to this item. */
export function useIsFound(item: ConversationItem): boolean {
  const { found } = useTalk();
  return useComputed(() => found.value === item.key).value;
}
