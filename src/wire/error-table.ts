/**
 * Every failure that may cross a boundary, once. Programs branch on the code; the rest of a row is the failure's form
 * on each wire, and the hint says what a person can do next.
 */
export interface ErrorRow {
  /** JSON-RPC error number. Several codes may share one of the protocol's own numbers. */
  readonly rpc: number;
  /** `type` in an IPC error answer, and the name of the thrown class. */
  readonly type: string;
  readonly http: number;
  /** Exit code of a command that ends with this error. */
  readonly exit: number;
  /** Whether the same request, sent again unchanged, may succeed. */
  readonly retryable: boolean;
  readonly hint: string;
}

// One row per line: the formatter would break each into eight lines.
const row = <const Type extends string>(
  rpc: number,
  type: Type,
  http: number,
  exit: number,
  retryable: boolean,
  hint: string,
): ErrorRow & { readonly type: Type } => ({ rpc, type, http, exit, retryable, hint });

// prettier-ignore
export const errorTable = {
  // JSON-RPC 2.0's own
  parse_error: row(-32700, "IPCError", 400, 65, false, "Send one valid UTF-8 JSON value per message."),
  invalid_request: row(-32600, "IPCError", 400, 65, false, "Compare the message with the JSON Schema of its protocol, in the directory schema/ of this package."),
  method_not_found: row(-32601, "IPCError", 404, 64, false, "Use a method that the protocol's page lists."),
  invalid_params: row(-32602, "IPCError", 422, 64, false, "Correct the field that the message names."),
  internal: row(-32603, "ClaudeCodeError", 500, 70, false, "This is a defect in Switchboard. Report it, with the log lines of that time."),

  // Between agents
  agent_not_found: row(-32000, "ClaudeCodeError", 404, 68, false, "Use one of the names that list_agents returns."),
  timeout: row(-32001, "ClaudeCodeError", 504, 75, true, "Try again, or allow more time."),
  rate_limited: row(-32002, "ClaudeCodeError", 429, 75, true, "Wait for retry_after seconds, then send again."),
  not_allowed: row(-32003, "ClaudeCodeError", 403, 77, false, "Send it to an agent that list_agents marks as reachable for you."),
  loop_stopped: row(-32004, "ClaudeCodeError", 429, 75, false, "Do not send it again. Finish with what you have, and say what is missing."),
  wait_refused: row(-32005, "ClaudeCodeError", 409, 75, false, "Send it without wait. The answer then comes as a message."),
  budget_spent: row(-32006, "ClaudeCodeError", 402, 75, false, "Finish with what you have. A person can raise the budget in the team file."),
  agent_unavailable: row(-32007, "ClaudeCodeError", 503, 69, true, "Work without this agent, or ask a person to look at 'switchboard status'."),

  // Sockets and framing
  message_too_large: row(-32010, "IPCMessageSizeError", 413, 65, false, "Send less in one message: a summary, or a path to a file."),
  connection_failed: row(-32011, "IPCConnectionError", 503, 69, true, "Check that the process behind the socket is running."),
  connection_lost: row(-32012, "IPCConnectionError", 503, 69, true, "The request may have run. Check its effect before you send it again."),
  socket_in_use: row(-32013, "IPCConnectionError", 409, 73, false, "Stop the process that serves this socket, or choose another path."),
  socket_path_invalid: row(-32014, "IPCConnectionError", 400, 73, false, "Choose a shorter path in a directory that exists and is yours."),
  unsafe_place: row(-32029, "IPCConnectionError", 403, 77, false, "Use a directory that belongs to you and that no other user can write to."),
  queue_full: row(-32015, "IPCConnectionError", 503, 75, true, "The reader is too slow. Wait until it has caught up."),
  not_serialisable: row(-32018, "IPCError", 422, 65, false, "Send plain JSON data: no undefined, function, BigInt or cycle."),

  // Tools
  tool_not_found: row(-32602, "ToolNotFoundError", 404, 64, false, "Call one of the tools that the message lists."),
  tool_failed: row(-32016, "IPCToolExecutionError", 500, 70, false, "Read the tool's message, then change the input or the tool."),
  bridge_startup: row(-32017, "BridgeStartupError", 503, 69, false, "Run the MCP server's command by hand and read what it prints."),
  tool_invalid: row(-32019, "IPCError", 422, 65, false, "Correct the tool's definition at the place that the message names."),
  host_state: row(-32027, "IPCError", 409, 70, false, "Start a tool host once, use it, then stop it. Create a new one to start again."),
  toolset_not_registered: row(-32028, "ToolsetNotRegisteredError", 409, 70, false, "Call setAgentToolsets() before a request that names tools."),

  // The Claude Code process
  cli_not_found: row(-32020, "ClaudeCodeError", 500, 69, false, "Install the Claude Code CLI, or name its file with --claude-path."),
  cli_too_old: row(-32059, "ClaudeCodeError", 500, 69, false, "Update Claude Code, or omit --claude-path to use the version that comes with this package."),
  cli_exited: row(-32021, "ClaudeCodeError", 502, 70, true, "Resume the session. Its log says why the CLI ended."),
  cwd_not_found: row(-32022, "ClaudeCodeError", 400, 66, false, "Name a directory that exists."),
  session_not_found: row(-32023, "ClaudeCodeError", 404, 66, false, "List the sessions with 'agent-socket list', and those of rehearsals with 'agent-socket list --rehearsal'."),
  aborted: row(-32024, "ClaudeCodeError", 499, 130, false, "Send the next message when you are ready."),
  stalled: row(-32025, "ClaudeCodeError", 504, 75, true, "Wait for the model, or abort the turn and send the message again."),
  start_failed: row(-32026, "ClaudeCodeError", 500, 71, false, "Check that the program exists and may be executed, and that PATH names its directory."),

  // What the model's API answered
  authentication_failed: row(-32030, "ClaudeCodeError", 401, 77, false, "Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN, or log in with 'claude'."),
  billing_error: row(-32031, "ClaudeCodeError", 402, 77, false, "Add credit to the account, or use another key."),
  api_rate_limited: row(-32032, "ClaudeCodeError", 429, 75, true, "Wait until the limit resets, then send the message again."),
  overloaded: row(-32033, "ClaudeCodeError", 529, 75, true, "The model is busy. Send the message again in a minute, or set a fallback model."),
  api_invalid_request: row(-32034, "ClaudeCodeError", 400, 65, false, "Change the part of the request that the message names: the API refused it."),
  model_not_found: row(-32035, "ClaudeCodeError", 404, 64, false, "Choose a model that this account may use."),
  api_server_error: row(-32036, "ClaudeCodeError", 502, 75, true, "The API failed on its side. Send the message again."),
  api_unreachable: row(-32037, "ClaudeCodeError", 502, 69, true, "Check the network, the proxy and ANTHROPIC_BASE_URL."),
  prompt_too_long: row(-32038, "ClaudeCodeError", 413, 65, false, "Send /compact, or start a new session."),
  max_output_tokens: row(-32039, "ClaudeCodeError", 502, 65, false, "Ask for a shorter answer, or raise the output limit."),
  model_refusal: row(-32040, "ClaudeCodeError", 422, 65, false, "The model declined. Rephrase the message."),
  max_turns: row(-32041, "ClaudeCodeError", 422, 75, false, "Raise --max-turns, or send a message to continue."),
  budget_exhausted: row(-32042, "ClaudeCodeError", 402, 75, false, "Start a new session with a higher --max-budget-usd."),
  execution_failed: row(-32043, "ClaudeCodeError", 500, 70, false, "Read the message. The session goes on: send the next message."),
  output_invalid: row(-32044, "ClaudeCodeError", 502, 65, false, "Look in data.received for what the model returned. Make the schema or the prompt clearer."),

  // The proof of a CLI
  proof_failed: row(-32045, "ClaudeCodeError", 500, 76, false, "Read the faults in the report. 'switchboard prove --only NAME --keep DIR' runs one case again and keeps its files."),

  // A session's clients
  already_resolved: row(-32050, "ClaudeCodeError", 409, 65, false, "Another client answered first. The event approval_resolved says which one."),
  unknown_request: row(-32051, "ClaudeCodeError", 404, 65, false, "Use the request_id of a pending request. The command status lists them."),
  read_only: row(-32052, "ClaudeCodeError", 403, 77, false, "Commands are not served here. Send them to the control socket."),
  name_in_use: row(-32058, "ClaudeCodeError", 409, 73, false, "Offer the tools in another namespace, or wait until the client that uses this one has disconnected."),
  session_in_use: row(-32053, "ClaudeCodeError", 409, 73, false, "Attach to the process that holds the session, or stop it first."),

  // The log of a session
  log_write_failed: row(-32054, "ClaudeCodeError", 507, 74, true, "Free space on the disk that holds the session's log. The session keeps what you sent and may still run it, so send a message again only with the same id."),
  log_damaged: row(-32055, "ClaudeCodeError", 500, 74, false, "Restore the file that the message names, or move the log's directory away to start a new log."),
  since_not_in_log: row(-32056, "ClaudeCodeError", 404, 65, false, "Attach again. The session then answers 'reset: true' and sends a snapshot."),
  blob_not_found: row(-32057, "ClaudeCodeError", 404, 65, false, "Use a blob id from an event of this session."),

  // The bus
  message_conflict: row(-32080, "ClaudeCodeError", 409, 65, false, "Give every message its own id. Two different messages cannot have the same id."),
  bus_unavailable: row(-32081, "ClaudeCodeError", 503, 75, true, "The operation may have been done. Repeat it with the same id: it is never done twice."),
  bus_in_use: row(-32082, "ClaudeCodeError", 409, 73, false, "Another process has this database open. Stop it, or choose another state directory."),
  disk_full: row(-32083, "ClaudeCodeError", 507, 74, true, "Free space on the disk, then try again. Nothing was lost."),
  bus_invalid: row(-32084, "ClaudeCodeError", 500, 65, false, "Move the database away, or use the version of Switchboard that wrote it."),
  bus_refused: row(-32086, "ClaudeCodeError", 403, 77, false, "Name the file of credentials that 'switchboard bus init' wrote for this machine, with --credentials."),
  superseded: row(-32087, "ClaudeCodeError", 409, 73, false, "See 'switchboard status' of the team that runs now. A process that was held up must be ended by hand."),
  bus_closed: row(-32085, "ClaudeCodeError", 409, 70, false, "Open the bus again before you use it."),

  // Files that people write
  script_invalid: row(-32060, "ClaudeCodeError", 422, 65, false, "Correct the script at the line and column that the message names."),
  no_rule_matched: row(-32061, "ClaudeCodeError", 400, 65, false, "Add a rule that matches this request, or a default rule, to the script."),
  team_invalid: row(-32062, "ClaudeCodeError", 422, 65, false, "Correct the team file at the line and column that the message names."),

  // A team and its people
  team_running: row(-32070, "ClaudeCodeError", 409, 73, false, "See it with 'switchboard status', stop it with 'switchboard down', or choose another --state-dir."),
  team_not_running: row(-32071, "ClaudeCodeError", 503, 69, false, "Start it with 'switchboard up TEAM.yaml', or name another team with --team or --state-dir."),
  other_project: row(-32073, "ClaudeCodeError", 409, 73, false, "Start the team in the directory that it belongs to, choose another --state-dir, or make it belong to this directory with --adopt."),
  wrong_state: row(-32074, "ClaudeCodeError", 409, 65, false, "See the agent's state with 'switchboard status', and do what that state allows."),
  no_credentials: row(-32072, "ClaudeCodeError", 401, 77, false, "Set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN, write 'isolation: shared' into the team file to use your own login, or try --rehearsal SCRIPT.yaml."),

  // Telling people
  notify_failed: row(-32095, "ClaudeCodeError", 502, 69, true, "Correct what the message names, then start the notifier again: it tells what is untold."),

  // The gateway for browsers
  sign_in_required: row(-32090, "ClaudeCodeError", 401, 77, false, "Open a new link. The gateway prints one when it starts, and an owner who is signed in can make one."),
  origin_refused: row(-32091, "ClaudeCodeError", 403, 77, false, "Open the page at the address that the gateway printed. For another address, start it with --public-origin."),
  exposed_without_tls: row(-32092, "ClaudeCodeError", 403, 77, false, "Start the gateway with --tls-cert and --tls-key, or behind a proxy with --public-origin https://NAME. Or let it listen on 127.0.0.1 only, and reach it with 'ssh -L PORT:127.0.0.1:PORT HOST' or 'tailscale serve'."),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errorTable, value);
