import type { Line } from "./session-line-client.ts";

/** Lines of a flow that every run has, in this order. Others come when the CLI feels like it. */
const steadyTypes = new Set([
  "init",
  "user_message",
  "turn_started",
  "text_delta",
  "tool_use",
  "approval_request",
  "approval_resolved",
  "tool_result",
  "error",
  "done",
]);

const ids = ["id", "turn_id", "request_id", "messages", "session_id", "log_id"];
const measured: Record<string, unknown> = {
  version: "0.0.0",
  cli_version: "0.0.0",
  cli_support: "proven",
  // How much had happened when the client came is a race.
  last_seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  deadline: "2026-01-01T00:05:00.000Z",
  cost_usd: 0,
  duration_ms: 0,
};

/**
 * A flow as it is kept: the steady lines, text in one piece, ids numbered as they appear, numbers and
 * times that differ from run to run made equal.
 */
export function flowOf(lines: readonly Line[], cwd: string): Line[] {
  const known = new Map<string, string>();
  const named = (id: string): string => {
    if (!known.has(id)) known.set(id, `id-${known.size + 1}`);
    return known.get(id) ?? "";
  };
  // Whether a call that was cut off still gets a result, and when, is a race within the CLI.
  const isWhole = lines.some((line) => line["stop_reason"] === "completed");
  const isSteady = ({ type }: Line): boolean =>
    steadyTypes.has(type) && (isWhole || type !== "tool_result");
  const kept: Line[] = [];
  for (const line of lines.filter(isSteady)) {
    const last = kept.at(-1);
    if (line.type === "text_delta" && last?.type === "text_delta") {
      last["text"] = String(last["text"]) + String(line["text"]);
    } else {
      kept.push({ ...line });
    }
  }
  return kept.map(withoutOthersWords).map((line, index) => {
    const plain = JSON.parse(JSON.stringify(line).replaceAll(cwd, "/project")) as Line;
    const fields = Object.entries(plain).map(([key, value]): [string, unknown] => {
      if (key === "seq") return [key, index + 1];
      if (key === "usage") return [key, { input_tokens: 0, output_tokens: 0 }];
      if (key in measured) return [key, measured[key]];
      if (!ids.includes(key)) return [key, value];
      return [key, Array.isArray(value) ? value.map(String).map(named) : named(String(value))];
    });
    return Object.fromEntries(fields) as unknown as Line;
  });
}

/** Text that the CLI may word differently: that it is there is the protocol, what it says is not. */
function withoutOthersWords(line: Line): Line {
  const scopes = line["scopes"] as { scope: string }[] | undefined;
  return {
    ...line,
    ...(line.type === "approval_request" && {
      ...("description" in line && { description: "…" }),
      scopes: scopes?.map(({ scope }) => ({ scope, label: "…" })),
    }),
    ...(line.type === "tool_result" && line["is_error"] === true && { output: "…" }),
    ...(line.type === "error" && { message: "…", data: {} }),
    // The CLI may be up by now, and have told of itself.
    ...(line.type === "init" && { slash_commands: [], mcp_servers: [] }),
  };
}
