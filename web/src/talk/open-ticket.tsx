import { useComputed } from "@preact/signals";
import { Ticket } from "./parts.tsx";
import { useTalk } from "./talk-context.ts";

/** The ticket of a request as long as it waits for a person. */
export function OpenTicket({ requestId }: { readonly requestId: string }) {
  const { state } = useTalk();
  const request = useComputed(() =>
    state.conversation.value.pending.find(({ request_id }) => request_id === requestId),
  ).value;
  return request ? <Ticket call={{ request }} /> : null;
}
