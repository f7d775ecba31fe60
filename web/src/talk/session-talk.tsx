import { useMemo } from "preact/hooks";
import { useMayAct } from "../state/page-state.ts";
import type { TalkState } from "../state/talk-state.ts";
import { noActions, sessionActions } from "./talk-actions.ts";
import { TalkPanel } from "./talk-panel.tsx";

/** The one session that a gateway without a team serves. */
export function SessionTalk({ session }: { readonly session: TalkState }) {
  const mayAct = useMayAct();
  const actions = useMemo(() => (mayAct ? sessionActions(session) : noActions), [session, mayAct]);
  return <TalkPanel state={session} actions={actions} isLead />;
}
