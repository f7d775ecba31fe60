import type { ToolItem } from "agent-switchboard/client/core";

type Kind =
  | "command"
  | "change"
  | "read"
  | "mcp"
  | "agent"
  | "todo"
  | "question"
  | "plan"
  | "other";

const kinds: Readonly<Record<string, Kind>> = {
  Bash: "command",
  BashOutput: "command",
  Edit: "change",
  MultiEdit: "change",
  Write: "change",
  NotebookEdit: "change",
  Read: "read",
  Grep: "read",
  Glob: "read",
  Task: "agent",
  Agent: "agent",
  TodoWrite: "todo",
  TaskCreate: "todo",
  TaskUpdate: "todo",
  AskUserQuestion: "question",
  ExitPlanMode: "plan",
};

/** How a call is shown, by its tool. */
export function kindOfTool(tool: string): Kind {
  if (Object.hasOwn(kinds, tool)) return kinds[tool] ?? "other";
  return tool.startsWith("mcp__") ? "mcp" : "other";
}

/** A tool's name as people know it: of an MCP server's tool both names, such as "tickets · create". */
export function toolName(tool: string): string {
  const [, server, name] = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? [];
  return server === undefined || name === undefined ? tool : `${server} · ${name}`;
}

/** What the call is about, in one line: its file, its command, what it looks for. */
export function toolSummary({ tool, input = {}, agent }: ToolItem): string {
  switch (kindOfTool(tool)) {
    case "command":
      return firstLine(wordOf(input["command"]) ?? wordOf(input["bash_id"]) ?? "");
    case "change":
    case "read":
      return [
        wordOf(input["file_path"]) ?? wordOf(input["notebook_path"]) ?? wordOf(input["pattern"]),
        wordOf(input["file_path"]) === undefined ? wordOf(input["path"]) : undefined,
      ]
        .filter((word) => word !== undefined)
        .map(firstLine)
        .join(" · ");
    case "agent":
      return firstLine(agent?.description ?? wordOf(input["description"]) ?? "");
    default:
      return firstLine(
        Object.values(input)
          .map(wordOf)
          .find((word) => word !== undefined) ?? "",
      );
  }
}

/** A large text of an input stands as a reference with its beginning. */
export function wordOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || !("preview" in value)) return undefined;
  return typeof value.preview === "string" ? value.preview : undefined;
}

const MAX_LINE = 300;

const firstLine = (text: string): string => (text.split("\n", 1)[0] ?? "").slice(0, MAX_LINE);
