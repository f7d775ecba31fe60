import type { IncomingMessage } from "node:http";
import type { JournalRequest } from "./journal.ts";
import type { Play } from "./play-script.ts";
import type { RequestView } from "./request-view.ts";
import type { ModelRoute } from "./route-of-path.ts";

/** Everything that distinguishes requests, and nothing that could be a key. */
const keptHeaders =
  /^(?:anthropic-(?:beta|version)|user-agent|x-app|x-claude-code-.*|x-agent-.*|x-stainless-(?:retry-count|timeout))$/;

/** What the journal records of a request. */
export function describeRequest(
  play: Play,
  route: ModelRoute,
  request: IncomingMessage,
  view: RequestView | undefined,
): Omit<JournalRequest, "id" | "at"> {
  const kind = kindOf(route, view);
  const headers = Object.entries(request.headers).filter(([name]) => keptHeaders.test(name));
  return {
    kind,
    method: request.method ?? "",
    path: request.url ?? "",
    agent: route.agent ?? null,
    session_id: view?.session ?? null,
    subagent_id: view?.subagent ?? null,
    turn: view && kind === "main" ? play.turnOf(view) : null,
    user: view?.user ?? null,
    new_user_texts: view?.newUserTexts ?? [],
    new_peer_texts: view?.newPeerTexts ?? [],
    new_tool_results: view?.newToolResults ?? [],
    system: view?.system ?? "",
    tools: (view?.body.tools ?? []).map(({ name }) => name),
    headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    body: view?.body ?? null,
  };
}

function kindOf({ to }: ModelRoute, view: RequestView | undefined): JournalRequest["kind"] {
  if (to !== "messages") return to;
  if (!view) return "other";
  return view.side ? "side" : "main";
}
