/** A model path may have any prefix; `/agents/<name>` in it names the agent. */
export interface ModelRoute {
  to: "messages" | "count_tokens" | "hello" | "other";
  agent: string | undefined;
}
export type Route = ModelRoute | { to: "control"; name: string; query: URLSearchParams };

const endpoints: [ModelRoute["to"], RegExp][] = [
  ["messages", /\/v1\/messages$/],
  ["count_tokens", /\/v1\/messages\/count_tokens$/],
  ["hello", /\/api\/hello$/],
];

/** Where a path leads. */
export function routeOf(url: string): Route {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  const control = /^\/rehearsal(?:\/(?<name>[^/]*))?$/.exec(pathname)?.groups;
  if (control) return { to: "control", name: control["name"] ?? "", query: searchParams };
  const endpoint = endpoints.find(([, pattern]) => pattern.test(pathname));
  return { to: endpoint?.[0] ?? "other", agent: agentIn(pathname) };
}

function agentIn(pathname: string): string | undefined {
  const name = /\/agents\/(?<name>[^/]+)\//.exec(pathname)?.groups?.["name"];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}
