import type { SDKMessage } from "@anthropic-ai/claude-agent-sdk";

/** A message as the CLI writes it: plain JSON, which need not fit the SDK's types. */
export type Sample = Record<string, unknown> & { type: string };

/** What the normaliser is given is what came over the pipe, whatever the types say. */
export const asMessage = (sample: unknown): SDKMessage => sample as SDKMessage;

const common = { uuid: "00000000-0000-4000-8000-000000000001", session_id: "S1" };
const system = (subtype: string, fields: object = {}): Sample => ({
  type: "system",
  subtype,
  ...fields,
  ...common,
});
const hook = { hook_id: "h1", hook_name: "PreToolUse:Bash", hook_event: "PreToolUse" };
const output = { stdout: "out", stderr: "", output: "out" };

export const init = (fields: object = {}): Sample =>
  system("init", {
    apiKeySource: "none",
    claude_code_version: "2.1.325",
    cwd: "/work",
    tools: ["Bash", "Read"],
    mcp_servers: [],
    model: "opus",
    permissionMode: "default",
    slash_commands: ["clear"],
    output_style: "default",
    skills: [],
    plugins: [],
    capabilities: ["interrupt_receipt_v1"],
    ...fields,
  });

export const lifecycle = (state: string, command_uuid = "M1"): Sample => ({
  type: "command_lifecycle",
  command_uuid,
  state,
  ...common,
});

export const stream = (event: object, parent_tool_use_id: string | null = null): Sample => ({
  type: "stream_event",
  event,
  parent_tool_use_id,
  ...common,
});

export const messageStart = (id: string, usage: object = { input_tokens: 10 }): Sample =>
  stream({ type: "message_start", message: { id, role: "assistant", content: [], usage } });

export const delta = (fields: object, index = 0): Sample =>
  stream({ type: "content_block_delta", index, delta: fields });

export const textDelta = (text: string): Sample => delta({ type: "text_delta", text });

export const messageStop = stream({ type: "message_stop" });

export const assistant = (id: string, content: unknown, fields: object = {}): Sample => ({
  type: "assistant",
  message: { id, role: "assistant", model: "opus", content, stop_reason: null },
  parent_tool_use_id: null,
  ...fields,
  ...common,
});

export const user = (content: unknown, fields: object = {}): Sample => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...fields,
  ...common,
});

export const result = (fields: object = {}): Sample => ({
  type: "result",
  subtype: "success",
  is_error: false,
  result: "All done.",
  stop_reason: "end_turn",
  terminal_reason: "completed",
  duration_ms: 1234.5,
  duration_api_ms: 900,
  num_turns: 1,
  total_cost_usd: 0.25,
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    cache_read_input_tokens: 7,
    cache_creation_input_tokens: 3,
  },
  modelUsage: {},
  permission_denials: [],
  user_message_uuids: ["M1"],
  ...fields,
  ...common,
});

export const failedResult = (subtype: string, fields: object = {}): Sample =>
  result({ subtype, is_error: true, result: undefined, errors: [], ...fields });

export const textBlock = (text: string) => ({ type: "text", text });
export const toolUse = (id: string, input: unknown = { command: "ls" }) => ({
  type: "tool_use",
  id,
  name: "Bash",
  input,
});

/** One of each kind that the CLI is known to send, inside the SDK's union and outside of it. */
export const everyKind: Sample[] = [
  init(),
  system("status", { status: "requesting", permissionMode: "plan" }),
  system("compact_boundary", { compact_metadata: { trigger: "auto", pre_tokens: 9 } }),
  system("api_retry", {
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 510.4,
    error_status: 529,
    error: "overloaded",
  }),
  system("control_request_progress", { request_id: "r1", status: "started" }),
  system("model_fallback", { original_model: "opus", fallback_model: "haiku" }),
  system("model_refusal_fallback", { original_model: "opus", fallback_model: "sonnet" }),
  system("model_refusal_no_fallback", { original_model: "opus", content: "It declined." }),
  system("local_command_output", { content: "Costs: none" }),
  system("hook_started", hook),
  system("hook_progress", { ...hook, ...output }),
  system("hook_response", { ...hook, ...output, outcome: "success" }),
  system("plugin_install", { status: "started" }),
  system("task_started", { task_id: "t1", description: "look around", task_type: "local_agent" }),
  system("task_progress", {
    task_id: "t1",
    description: "still looking",
    summary: "at the second file",
    last_tool_name: "Read",
    usage: { total_tokens: 900, tool_uses: 2, duration_ms: 3000 },
  }),
  system("task_updated", { task_id: "t1", patch: { status: "running" } }),
  system("task_notification", {
    task_id: "t1",
    status: "completed",
    output_file: "/tmp/t1",
    summary: "looked",
  }),
  system("background_tasks_changed", {
    tasks: [
      { task_id: "t1", task_type: "local_agent", description: "look", subagent_type: "Explore" },
    ],
  }),
  system("thinking_tokens", { estimated_tokens: 42, estimated_tokens_delta: 2 }),
  system("session_state_changed", { state: "requires_action" }),
  system("session_title_changed", { title: "A title" }),
  system("worker_shutting_down", { reason: "host_exit" }),
  system("commands_changed", { commands: [{ name: "clear", description: "" }] }),
  system("notification", { key: "k", text: "Look here", priority: "low" }),
  system("files_persisted", { files: [{ filename: "a", file_id: "f1" }], failed: [] }),
  system("memory_recall", { mode: "select", memories: [{ path: "/m/a.md", scope: "personal" }] }),
  system("elicitation_complete", { mcp_server_name: "m", elicitation_id: "e1" }),
  system("permission_denied", { tool_name: "Bash", tool_use_id: "c1", message: "Not allowed." }),
  system("mirror_error", { error: "no", key: {} }),
  system("informational", { content: "By the way", level: "info" }),
  system("session_writes_lost", { error_code: "ENOSPC", lost: ["transcript", "global_config"] }),
  messageStart("A"),
  stream({ type: "content_block_start", index: 0, content_block: toolUse("c1", {}) }),
  textDelta("Hello"),
  delta({ type: "thinking_delta", thinking: "Hm" }),
  delta({ type: "signature_delta", signature: "x" }),
  delta({ type: "input_json_delta", partial_json: '{"a":1}' }),
  stream({ type: "content_block_stop", index: 0 }),
  stream({ type: "message_delta", delta: {}, usage: { output_tokens: 5 } }),
  messageStop,
  stream({ type: "ping" }),
  assistant("A", [textBlock("Hello")]),
  assistant("B", [textBlock("Overloaded")], { error: "overloaded" }),
  user("[Request interrupted by user]"),
  user([{ type: "tool_result", tool_use_id: "c1", content: "ok" }], { isReplay: true }),
  result(),
  failedResult("error_during_execution", { errors: ["It broke."] }),
  lifecycle("queued"),
  {
    type: "tool_progress",
    tool_use_id: "c1",
    tool_name: "Bash",
    parent_tool_use_id: null,
    elapsed_time_seconds: 2.5,
  },
  { type: "auth_status", isAuthenticating: true, output: ["Open the page"] },
  { type: "tool_use_summary", summary: "read files", preceding_tool_use_ids: ["c1"] },
  {
    type: "rate_limit_event",
    rate_limit_info: { status: "allowed_warning", resetsAt: 1, utilization: 0.8 },
  },
  { type: "prompt_suggestion", suggestion: "And now?" },
  { type: "conversation_reset", new_conversation_id: "N1", trigger: "clear", ...common },
];

type KindOf<Message> = Message extends { type: "system"; subtype: infer Subtype extends string }
  ? `system/${Subtype}`
  : Message extends { type: infer Type extends string }
    ? Type
    : never;

/** Every kind that the SDK's types know. When the SDK learns or unlearns one, this does not compile. */
export const sdkKinds: Readonly<Record<KindOf<SDKMessage>, true>> = {
  assistant: true,
  user: true,
  result: true,
  stream_event: true,
  tool_progress: true,
  auth_status: true,
  tool_use_summary: true,
  rate_limit_event: true,
  prompt_suggestion: true,
  conversation_reset: true,
  "system/init": true,
  "system/status": true,
  "system/compact_boundary": true,
  "system/api_retry": true,
  "system/control_request_progress": true,
  "system/model_refusal_fallback": true,
  "system/model_refusal_no_fallback": true,
  "system/local_command_output": true,
  "system/hook_started": true,
  "system/hook_progress": true,
  "system/hook_response": true,
  "system/plugin_install": true,
  "system/task_started": true,
  "system/task_progress": true,
  "system/task_updated": true,
  "system/task_notification": true,
  "system/background_tasks_changed": true,
  "system/thinking_tokens": true,
  "system/session_state_changed": true,
  "system/worker_shutting_down": true,
  "system/commands_changed": true,
  "system/notification": true,
  "system/files_persisted": true,
  "system/memory_recall": true,
  "system/elicitation_complete": true,
  "system/permission_denied": true,
  "system/mirror_error": true,
  "system/informational": true,
  "system/session_writes_lost": true,
};

export const kindOf = ({ type, subtype }: Sample): string =>
  type === "system" ? `${type}/${String(subtype)}` : type;

/** The one of that name: the type, and the subtype if it has one. */
export function sampleOf(name: string): Sample {
  const [type, subtype] = name.split("/");
  const found = everyKind.findLast((kind) => kind.type === type && kind["subtype"] === subtype);
  if (!found) throw new Error(`there is no sample of ${name}`);
  return found;
}
