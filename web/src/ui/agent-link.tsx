import { useTeam } from "../state/page-state.ts";
import { nameOf } from "./name-of.ts";

/** An agent's name that leads to its page. The names of the person and of the team's own process lead nowhere. */
export function AgentLink({ id }: { readonly id: string }) {
  const isAgent = useTeam().agents.value.some((agent) => agent.id === id);
  return isAgent ? <a href={`/a/${id}`}>{id}</a> : <>{nameOf(id)}</>;
}
