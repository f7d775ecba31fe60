import { visibleString } from "../characters/visible-characters.ts";
import { usePage } from "../state/page-state.ts";

/** What a screen reader says: politely, and at once only for calls and losses. The transcript itself is silent. */
export function Announcer() {
  const { text, isUrgent } = usePage().announcement.value;
  return (
    <>
      <div class="unseen" aria-live="polite">
        {isUrgent ? "" : visibleString(text)}
      </div>
      <div class="unseen" aria-live="assertive">
        {isUrgent ? visibleString(text) : ""}
      </div>
    </>
  );
}
