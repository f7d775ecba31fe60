import { useComputed } from "@preact/signals";
import { Ticket } from "../calls/ticket.tsx";
import { useTalk } from "./talk-context.ts";

/** The ticket of a request as long as it waits for a person. */
export function OpenTicket({ requestId }: { readonly requestId: string }) {
  const { state } = useTalk();
  const request = useComputed(() =>
    state.conversation.value.pending.find(({ request_id }) => request_id === requestId),
  ).value;
  const { agent } = state;
  return request ? <Ticket call={{ id: requestId, agent, request }} /> : null;
}
