import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePage } from "../state/page-state.ts";
import { commandKey, isComposing } from "../ui/key-press.ts";
import { KeySequence } from "./page-keys.ts";
import { openSheet } from "./open-sheet.ts";
import { sessionPlaces, teamPlaces } from "./places.ts";

type Sheet = ComponentType<{ readonly onClose: () => void }>;

const sheets = {
  goTo: () => import("./go-to.tsx"),
  keys: () => import("./keys-help.tsx"),
} as const;

/** The sheets that a key opens on every view, and the keys that lead from view to view. */
export function Sheets() {
  const page = usePage();
  const { route } = useLocation();
  const [Shown, setShown] = useState<Sheet | undefined>(undefined);
  const wanted = openSheet.value;
  useEffect(() => {
    setShown(undefined);
    if (wanted === undefined) return;
    sheets[wanted]().then(
      ({ default: sheet }) => setShown(() => sheet),
      // A new version of the page is being served: the next load has it.
      () => (openSheet.value = undefined),
    );
  }, [wanted]);
  useEffect(() => {
    const sequence = new KeySequence();
    const paths = new Set((page.team ? teamPlaces : sessionPlaces).map(({ path }) => path));
    const press = (event: KeyboardEvent): void => {
      if (isComposing(event)) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openSheet.value = "goTo";
        return;
      }
      const key = commandKey(event);
      if (key === undefined || document.querySelector("dialog[open]")) return;
      const command = sequence.take(key, event.timeStamp);
      if (command === undefined) return;
      event.preventDefault();
      if (command === "keys") openSheet.value = "keys";
      else if (command === "calls" && focusFirstCall()) return;
      else if (paths.has(`/${command}`)) route(`/${command}`);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [page, route]);
  return Shown ? <Shown onClose={() => (openSheet.value = undefined)} /> : null;
}

/** Where calls stand beside the view, the first of them gets the focus: from there its letters act. */
function focusFirstCall(): boolean {
  const tickets = [...document.querySelectorAll<HTMLElement>("[data-calls] [data-call]")];
  const first = tickets.find((ticket) => ticket.offsetParent !== null);
  first?.focus();
  return first !== undefined;
}
