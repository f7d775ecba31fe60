import { visibleString } from "../characters/visible-characters.ts";
import { t } from "../words/words.ts";
import type { Call } from "./call.ts";
import { toolOf } from "./call.ts";
import { firstLine } from "./call-title.ts";

/** Can this browser notify at all? Only over https or from this machine. */
export const canNotify = (): boolean => "Notification" in globalThis;

/** The notifications of calls that wait. They have no buttons: a decision needs to see the call. */
export class CallNotifications {
  readonly #open: (id: string) => void;
  readonly #shown = new Map<string, Notification>();

  /** @param open goes to the call's page. */
  constructor(open: (id: string) => void) {
    this.#open = open;
  }

  show(call: Call): void {
    if (!canNotify() || Notification.permission !== "granted") return;
    const { id } = call;
    try {
      const notification = new Notification(titleOf(call), {
        body: visibleString(firstLine(call)),
        tag: id,
      });
      notification.addEventListener("click", () => {
        window.focus();
        this.#open(id);
        notification.close();
      });
      this.#shown.set(id, notification);
    } catch {
      // Chromium on Android has notifications only through a service worker, which this page has none of.
    }
  }

  /** Takes those away whose calls are over. */
  keepOnly(waiting: readonly Call[]): void {
    const ids = new Set(waiting.map(({ id }) => id));
    for (const [id, notification] of this.#shown) {
      if (ids.has(id)) continue;
      notification.close();
      this.#shown.delete(id);
    }
  }
}

const titleOf = (call: Call): string =>
  visibleString(
    [call.agent, toolOf(call) ?? t(`calls.type.${call.request.type}`)]
      .filter((each) => each !== undefined)
      .join(" · "),
  );
