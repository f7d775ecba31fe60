/** Keys that an input method takes for itself. Chromium says so in the event, older ones by this number. */
const TAKEN_BY_INPUT_METHOD = 229;

let hasJustComposed = false;

if (typeof document !== "undefined") {
  // Safari ends the composition before it tells of the key that ended it: that key is still the input method's.
  document.addEventListener(
    "compositionend",
    () => {
      hasJustComposed = true;
      setTimeout(() => (hasJustComposed = false), 0);
    },
    { capture: true },
  );
}

/** Does this key belong to an input method, as Enter does that chooses a kanji? Every handler of keys asks this first. */
export const isComposing = (event: KeyboardEvent): boolean =>
  event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD || hasJustComposed;

const inputsWithoutText: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "radio",
  "range",
  "reset",
  "submit",
]);

/** Does what is typed here become a text? */
export function isTextField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !inputsWithoutText.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target.isContentEditable || target.closest("[contenteditable='true']") !== null;
}

/**
 * The character of a press that is meant as a command: pressed once, alone, outside of every text field. Undefined for any
 * other press.
 */
export function commandKey(event: KeyboardEvent): string | undefined {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (hasModifier || event.repeat || event.defaultPrevented) return undefined;
  if (isComposing(event) || isTextField(event.target)) return undefined;
  return event.key.length === 1 ? event.key.toLowerCase() : undefined;
}
