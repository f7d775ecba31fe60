import { relative } from "node:path";
import type { ToolCall, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { cutText } from "../../text/cut-text.ts";
import { absolute, diffsOfInput } from "./diffs.ts";
import { fieldText } from "./text-or-preview.ts";
import { textContent } from "./text-content.ts";

type JsonInput = Readonly<Record<string, unknown>>;

const MAX_TITLE_CHARS = 200;

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  NotebookRead: "read",
  ReadMcpResourceTool: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  Glob: "search",
  Grep: "search",
  LS: "search",
  LSP: "search",
  ToolSearch: "search",
  Bash: "execute",
  BashOutput: "execute",
  KillShell: "execute",
  PowerShell: "execute",
  Monitor: "execute",
  Agent: "think",
  Task: "think",
  TaskCreate: "think",
  TaskUpdate: "think",
  TaskList: "think",
  TodoWrite: "think",
  WebFetch: "fetch",
  WebSearch: "fetch",
  EnterPlanMode: "switch_mode",
  ExitPlanMode: "switch_mode",
};

export const kindOf = (tool: string): ToolKind => kinds[tool] ?? "other";

/** Tools that run a command whose output a terminal can show. */
export const isShell = (tool: string): boolean => tool === "Bash" || tool === "PowerShell";

/** A path as a person would say it. */
function shortPath(path: string, cwd: string): string {
  const inside = relative(cwd, absolute(path, cwd));
  return inside === "" || inside.startsWith("..") ? path : inside;
}

type Title = (field: (name: string) => string | undefined, cwd: string) => string | undefined;

const ofFile =
  (verb: string): Title =>
  (field, cwd) => {
    const path = field("file_path") ?? field("notebook_path");
    return path === undefined ? undefined : `${verb} ${shortPath(path, cwd)}`;
  };

const titles: Readonly<Record<string, Title>> = {
  Bash: (field) => field("command"),
  PowerShell: (field) => field("command"),
  Read: ofFile("Read"),
  NotebookRead: ofFile("Read"),
  Edit: ofFile("Edit"),
  MultiEdit: ofFile("Edit"),
  NotebookEdit: ofFile("Edit"),
  Write: ofFile("Write"),
  Glob: (field) => prefixed("Find", field("pattern")),
  Grep: (field) => prefixed("Search for", field("pattern")),
  Agent: (field) => field("description"),
  Task: (field) => field("description"),
  WebFetch: (field) => prefixed("Fetch", field("url")),
  WebSearch: (field) => prefixed("Search the web for", field("query")),
  TodoWrite: () => "Update the list of things to do",
  TaskCreate: (field) => prefixed("Add to the list:", field("subject")),
  ExitPlanMode: () => "Go on with this plan?",
  AskUserQuestion: () => "A question for you",
};

const prefixed = (words: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${words} ${text}`;

/** A server's tool in readable form. */
const nameOf = (tool: string): string => tool.replace(/^mcp__(.+?)__(.+)$/, "$2 ($1)");

export function titleOf(tool: string, input: JsonInput, cwd: string): string {
  const title = titles[tool]?.((name) => fieldText(input[name]), cwd) ?? nameOf(tool);
  const line = title.replaceAll(/\s*\n\s*/g, " ↵ ").trim();
  return cutText(line === "" ? tool : line, MAX_TITLE_CHARS);
}

function locationsOf(input: JsonInput, cwd: string): ToolCallLocation[] {
  const path = [input["file_path"], input["notebook_path"], input["path"]].find(
    (value): value is string => typeof value === "string" && value !== "",
  );
  if (path === undefined) return [];
  const { offset } = input;
  const line = typeof offset === "number" && Number.isInteger(offset) && offset > 0 ? offset : 0;
  return [{ path: absolute(path, cwd), ...(line > 0 && { line }) }];
}

/** What an editor shows of a call that the model makes. */
export function toolCallOf(
  call: {
    readonly id: string;
    readonly tool: string;
    readonly input: JsonInput;
    readonly parent?: string | undefined;
  },
  cwd: string,
): ToolCall {
  const { id, tool, input, parent } = call;
  const locations = locationsOf(input, cwd);
  const prompt = tool === "Agent" || tool === "Task" ? fieldText(input["prompt"]) : undefined;
  const content = prompt === undefined ? diffsOfInput(tool, input, cwd) : [textContent(prompt)];
  return {
    toolCallId: id,
    title: titleOf(tool, input, cwd),
    name: tool,
    kind: kindOf(tool),
    status: "pending",
    rawInput: input,
    ...(locations.length > 0 && { locations }),
    ...(content.length > 0 && { content }),
    // The first is where editors look that know Claude Code's own adapter.
    ...(parent !== undefined && { _meta: { claudeCode: { parentToolUseId: parent } } }),
  };
}
