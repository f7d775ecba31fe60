import { nameOf } from "./name-of.ts";

/** An agent's name that leads to its page; the person's own leads nowhere. */
export function AgentLink({ id }: { readonly id: string }) {
  return id === "user" ? <>{nameOf(id)}</> : <a href={`/a/${id}`}>{id}</a>;
}
