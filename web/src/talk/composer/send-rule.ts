import type { SendKey } from "../../state/preferences.ts";
import { isComposing } from "../../ui/key-press.ts";

/** Does this press send the message? Enter that ends a composition never does. */
export function sends(event: KeyboardEvent, sendKey: SendKey): boolean {
  if (event.key !== "Enter" || event.altKey || isComposing(event)) return false;
  const hasCommand = event.ctrlKey || event.metaKey;
  if (sendKey === "ctrl-enter") return hasCommand && !event.shiftKey;
  return !event.shiftKey || hasCommand;
}
