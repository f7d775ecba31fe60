import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { render } from "preact";
import type { PageState } from "../state/page-state.ts";
import { PageContext } from "../state/page-state.ts";
import { Calls } from "./calls.ts";
import { FakeDecider } from "./fake-decider.ts";
import { CallsContext } from "./use-calls.ts";

/** For tests: a page with calls and nothing else. */
export function ticketStage(children: ComponentChildren, role: "owner" | "viewer" = "owner") {
  const decider = new FakeDecider();
  const calls = new Calls(decider);
  const page: PageState = {
    signedIn: { kind: "in", key: "k", name: "anna", role, expires_at: "", serves: "team" },
    team: undefined,
    session: undefined,
    announcement: signal({ text: "", isUrgent: false }),
  };
  const stop = calls.watch();
  const root = document.createElement("div");
  document.body.replaceChildren(root);
  render(
    <PageContext.Provider value={page}>
      <CallsContext.Provider value={calls}>{children}</CallsContext.Provider>
    </PageContext.Provider>,
    root,
  );
  const end = (): void => {
    stop();
    render(null, root);
  };
  const ticket = (id: string): HTMLElement | null => root.querySelector(`[data-call="${id}"]`);
  return { decider, calls, page, root, ticket, end };
}

/** A key pressed where the focus is. */
export function press(key: string, init: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  (document.activeElement ?? document.body).dispatchEvent(event);
  return event;
}
