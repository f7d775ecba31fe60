/**
 * The map of src/. A folder is a layer; its files may import from the rows above its own, never from
 * their own row's other folders and never from below.
 */
const ranks = [
  ["text", "time"],
  ["wire"],
  ["files"],
  ["log", "policy", "session-state", "stream", "yaml"],
  ["net", "proc"],
  ["nats"],
  ["bridge", "client", "bus", "rehearsal", "claude-config", "tunnel"],
  ["engine"],
  ["session", "model"],
  ["team", "prove"],
  ["gateway", "acp", "mcp", "notify"],
  ["cli"],
] as const satisfies readonly (readonly string[])[];

/**
 * The doors of each layer: the files through which other layers import it. A layer that is not here is open.
 *
 * Open are the leaves (time, text, files, yaml, wire, session-state, stream, claude-config): each of their files is one small
 * idea, and a door would only repeat the list of files. Tests may look inside.
 */
export const doors: Readonly<Record<string, readonly string[]>> = {
  log: ["logger.ts"],
  policy: ["judge-call.ts"],
  // Both ends of a connection; the last two are all that the bridge's small child needs of it. How a socket gets to its path
  // stays inside.
  net: [
    "channel.ts",
    "codec.ts",
    "connect-with-retries.ts",
    "listen.ts",
    "probe-socket.ts",
    "clean-up-at-exit.ts",
    "close-socket.ts",
    "socket-file/own-directory.ts",
    "socket-file/connect-own-socket.ts",
    "hold-write-errors.ts",
  ],
  // Starting, finding and ending processes; the watchdog and the marks that it needs stay inside.
  proc: [
    "start-child.ts",
    "start-detached.ts",
    "run-to-end.ts",
    "run-in-foreground.ts",
    "stop-in-stages.ts",
    "sweep-processes.ts",
    "process-identity.ts",
    "process-arguments.ts",
    "child-environment.ts",
    "inherited-variables.ts",
    "find-command.ts",
    "current-user.ts",
    "time-since-boot.ts",
  ],
  // The tool host; the checks of arguments and the names of tools for layers that offer tools themselves.
  bridge: [
    "index.ts",
    "host/bridge-file-names.ts",
    "host/stdio-config.ts",
    "tool/choose-validator.ts",
    "tool/validator.ts",
    "tool/tool-and-host-names.ts",
    "tool/tool-set.ts",
  ],
  client: ["index.ts", "core.ts"],
  // The ports, and the ways to open them: on a file, on a copy of it, and on NATS.
  bus: [
    "bus.ts",
    "records.ts",
    "read-all-pages.ts",
    "read-filtered-page.ts",
    "inbox-order.ts",
    "sqlite/open-sqlite-bus.ts",
    "sqlite/open-copy.ts",
    "sqlite/read-replica-place.ts",
    "jetstream/open-nats-bus.ts",
    "jetstream/follow-nats-log.ts",
    "jetstream/move-memory.ts",
    "jetstream/repair-log.ts",
    "jetstream/read-log-status.ts",
  ],
  // Connections to a NATS server. What talks to it is loaded when it is needed.
  nats: ["nats-access.ts", "nats-credentials.ts", "connect-nats.ts", "open-nats-line.ts"],
  // Byte streams over messages; the one file that knows NATS is loaded when it is needed.
  tunnel: [
    "tunnel.ts",
    "carrier.ts",
    "join-streams.ts",
    "windows.ts",
    "nats/connect-nats.ts",
    "nats/init/write-bus-files.ts",
  ],
  // The others are small: every session loads them.
  rehearsal: ["index.ts", "rehearsal-environment.ts", "rehearsal-arguments.ts"],
  // One CLI process; recovery; without the Agent SDK: the CLI itself and what is known of its versions; the sessions that Claude
  // Code has stored.
  engine: ["index.ts", "recovery/index.ts", "cli.ts", "cli-support.ts", "stored-sessions.ts"],
  // The public entry; the programs behind the commands of agent-socket; what sessions keep on this machine.
  session: [
    "index.ts",
    "host/list-sessions.ts",
    "host/change-stored-session.ts",
    "host/run-host.ts",
    "replay/run-replay.ts",
    "replay/serve-read-only.ts",
    "stored-logs.ts",
    "stored-sessions.ts",
  ],
  model: ["index.ts"],
  // The public entry; the same for programs that only find teams and talk to them.
  team: ["index.ts", "core.ts", "find-and-connect.ts"],
  prove: ["prove.ts", "cases.ts", "cli-under-proof.ts", "proof-report.ts"],
  // What makes the servers, the connections that they share, and the key of their forms.
  mcp: ["team-mcp-server.ts", "team-connections.ts", "state-key.ts"],
  notify: ["run-notifier.ts"],
  // The gateway itself, and a talk with one that runs.
  gateway: ["run-gateway.ts", "control/gateway-control.ts"],
  // The face itself, and what it needs of the program that starts it.
  acp: ["serve-acp.ts", "hosts.ts"],
};

/**
 * What only some layers may import from outside: because everything else must stay independent of it, or
 * because only there children are started so that they die with us. Tests may start what they like. What is
 * not in src/ is free: benches measure the bare SDK beside ours, and tests and examples show it our tools.
 */
export const soleImporters = [
  { layers: ["engine"], dependency: "@anthropic-ai/claude-agent-sdk", testsToo: true },
  { layers: ["nats", "bus", "tunnel"], dependency: "@nats-io/transport-node", testsToo: false },
  { layers: ["bus"], dependency: "@nats-io/jetstream", testsToo: false },
  { layers: ["proc"], dependency: "node:child_process", testsToo: false },
  { layers: ["proc"], dependency: "child_process", testsToo: false },
] as const;

/** Processes and sockets of this machine. What frames the bytes of any stream is not among them. */
const machine = [
  "src/proc/**",
  "src/net/!(channel|codec).ts",
  "src/net/*/**",
  "node:net",
  "node:child_process",
];

/**
 * What only some files of a folder may import. Tests are free.
 *
 * Where an agent of a team runs is a port (src/team/host/agent-host.ts), and this machine is one adapter of it. So only
 * the adapter knows processes and sockets of agents, and only the files that choose the machine know the adapter. The
 * others in the second list have to do with the socket of the team itself.
 */
export const enclosures = [
  // One adapter talks to JetStream. It is loaded when a bus on NATS is opened, and only then.
  {
    folder: "src/bus/",
    imports: ["@nats-io/*"],
    only: ["src/bus/jetstream/**"],
  },
  {
    folder: "src/tunnel/",
    imports: ["@nats-io/*"],
    only: ["src/tunnel/nats/init/make-nkey.ts"],
  },
  {
    folder: "src/team/",
    imports: ["src/team/host/local/**"],
    only: [
      "src/team/host/local/**",
      "src/team/host/serve/**",
      "src/team/file/load-team.ts",
      "src/team/start-team.ts",
      "src/team/stored-team.ts",
    ],
  },
  {
    folder: "src/mcp/",
    imports: ["src/team/!(core).ts"],
    only: ["src/mcp/*.test.ts"],
  },
  {
    folder: "src/notify/",
    imports: ["src/team/!(core).ts"],
    only: ["src/notify/*.test.ts"],
  },
  {
    folder: "src/team/",
    imports: machine,
    only: [
      "src/team/host/local/**",
      "src/team/host/serve/join-team.ts",
      "src/team/control/serve-control-socket.ts",
      "src/team/client/connect-team.ts",
      "src/team/state-dir/{refuse-state-of-other-project,known-teams}.ts",
    ],
  },
] as const;

/** Programs that load what no check can know: a module of their user, or where the CLI's package lies. */
export const blindLoaders: readonly string[] = [
  "src/bridge/child/load-argument-check.ts",
  "src/cli/tools/load-tools.ts",
  "src/engine/locate-cli.ts",
  "src/rehearsal/load-script.ts",
];

/** Layers that run in a browser too, with all that they may import from outside. */
export const closedLayers = [
  { layer: "text", dependencies: [] },
  { layer: "time", dependencies: [] },
  { layer: "wire", dependencies: ["zod"] },
  { layer: "session-state", dependencies: [] },
  { layer: "stream", dependencies: [] },
] as const;

export const layers: readonly string[] = ranks.flat();

/**
 * Layers that may import less than what is above them. The gateway and the other faces know teams and sessions only by
 * what they say on their sockets, as any other program does; of the team they import its client.
 */
const narrowLayers: Readonly<Record<string, readonly string[]>> = {
  gateway: ["text", "time", "wire", "files", "log", "net", "proc", "client"],
  acp: ["text", "time", "wire", "client"],
  mcp: ["text", "time", "wire", "files", "client", "team"],
  notify: ["text", "time", "wire", "files", "log", "stream", "proc", "client", "team"],
};

/** The folders that a layer may import from, itself included. */
export function reachableFrom(layer: string): string[] {
  const narrow = narrowLayers[layer];
  if (narrow) return [...narrow, layer];
  const rank = ranks.findIndex((row: readonly string[]) => row.includes(layer));
  return [...ranks.slice(0, Math.max(rank, 0)).flat(), layer];
}

/**
 * The map of the page, web/src/. As in src/, a folder imports from the rows above its own. The files beside the folders are
 * the entry, and import what they like.
 */
export const pageRanks: readonly (readonly string[])[] = [
  ["look", "words"],
  ["characters"],
  ["link"],
  ["state"],
  ["ui"],
  ["code"],
  ["markdown"],
  ["calls"],
  ["papers"],
  ["talk", "board", "tasks", "mail", "lost", "spend", "settings"],
  ["app"],
];

/** All that the page may import of ours: it is a client like any other, and uses what a stranger could use. */
export const pageEntries: readonly string[] = [
  "agent-switchboard/client/core",
  "agent-switchboard/team/core",
  "agent-switchboard/wire",
];
