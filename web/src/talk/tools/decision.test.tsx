// @vitest-environment happy-dom
import { signal } from "@preact/signals";
import { render } from "preact";
import { act } from "preact/test-utils";
import { expect, test } from "vitest";
import type { TeamItem } from "agent-switchboard/team/core";
import type { SessionEventOf } from "agent-switchboard/wire";
import type { PageState } from "../../state/page-state.ts";
import { PageContext } from "../../state/page-state.ts";
import { Decision } from "./decision.tsx";

const decision = {
  type: "approval_resolved",
  seq: 9,
  turn_id: "t1",
  at: "2026-11-18T10:00:00.000Z",
  request_id: "r1",
  outcome: "denied",
  by: "switchboard",
  reason: "not today",
} as SessionEventOf<"approval_resolved">;

/** A page of a team, as far as a decision looks at it. */
function teamPage() {
  const tick = signal(0);
  const listeners: ((items: readonly TeamItem[]) => void)[] = [];
  const team = {
    tick,
    view: { approvals: new Map() },
    listen: (listener: (items: readonly TeamItem[]) => void) => listeners.push(listener),
  };
  const takes = (item: object): void => {
    for (const listener of listeners) listener([item as TeamItem]);
    tick.value += 1;
  };
  return { page: { team } as unknown as PageState, takes };
}

async function shown(page: PageState, of: typeof decision): Promise<HTMLElement> {
  const root = document.createElement("div");
  await act(() =>
    render(
      <PageContext.Provider value={page}>
        <Decision decision={of} />
      </PageContext.Provider>,
      root,
    ),
  );
  return root;
}

test("a decision names the person of the team's timeline, also when that comes later", async () => {
  const { page, takes } = teamPage();
  const root = await shown(page, decision);
  expect(root.textContent).toContain("denied by switchboard");
  await act(() => takes({ ...decision, type: "approval_resolved", agent: "boss", by: "anna" }));
  expect(root.textContent).toContain("denied by anna");
  expect(root.textContent).toContain("not today");
});

test("a decision of a rule says the rule, which the timeline calls the policy", async () => {
  const { page, takes } = teamPage();
  const { by: _, reason: __, ...rest } = decision;
  const root = await shown(page, { ...rest, outcome: "allowed", rule: "3: allow Write" });
  await act(() => takes({ ...rest, outcome: "allowed", agent: "boss", by: "policy", rule: "3" }));
  expect(root.textContent).toBe("allowed by rule 3: allow Write");
});
