import { useTeam } from "../state/page-state.ts";
import { counted } from "../words/words.ts";

/** Lit while a person is wanted, and for nothing else. */
export function CallsLamp() {
  const team = useTeam();
  void team.tick.value;
  const { size } = team.view.approvals;
  if (size === 0) return null;
  return <a href="/calls">{counted("calls.one", "calls.many", size)}</a>;
}
