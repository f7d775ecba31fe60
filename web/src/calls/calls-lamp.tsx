import { usePage } from "../state/page-state.ts";
import { counted } from "../words/words.ts";

/** Lit while a person is wanted, and for nothing else. */
export function CallsLamp() {
  const { team, session } = usePage();
  void team?.tick.value;
  const count = team?.view.approvals.size ?? session?.conversation.value.pending.length ?? 0;
  if (count === 0) return null;
  return <a href="/calls">{counted("calls.one", "calls.many", count)}</a>;
}
