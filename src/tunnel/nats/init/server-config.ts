/** One machine that the server lets in, and by which key. */
export interface BusUser {
  /** A host's name, or `team` for the team's own process. */
  readonly name: string;
  readonly publicKey: string;
}

export interface ServerConfig {
  readonly team: string;
  /** `HOST:PORT`. */
  readonly listen: string;
  readonly users: readonly BusUser[];
  /** Of the account in which the server tells of itself. */
  readonly systemKey: string;
}

/** The name of the team's own credentials. No host may have it. */
export const TEAM_USER = "team";

const list = (subjects: readonly string[]): string =>
  `[${subjects.map((subject) => JSON.stringify(subject)).join(", ")}]`;

/** What each user may do. A host is heard and hears under its own name only, so it can serve only the agents given to it. */
function permissionsOf(team: string, name: string): { publish: string[]; subscribe: string[] } {
  const inbox = `_INBOX_${name}.>`;
  if (name !== TEAM_USER) {
    const own = `sb.${team}.h.${name}`;
    return { publish: [`${own}.up.*`], subscribe: [`${own}.dn.*`, inbox] };
  }
  const log = `SB_${team}_LOG`;
  // What it takes to begin, append to and read its log. It can neither change it nor remove anything.
  const stream = [
    `$JS.API.STREAM.INFO.${log}`,
    `$JS.API.STREAM.CREATE.${log}`,
    `$JS.API.STREAM.MSG.GET.${log}`,
    `$JS.API.CONSUMER.CREATE.${log}`,
    `$JS.API.CONSUMER.CREATE.${log}.>`,
    `$JS.API.CONSUMER.INFO.${log}.>`,
    `$JS.API.CONSUMER.DELETE.${log}.>`,
    `$JS.API.CONSUMER.MSG.NEXT.${log}.>`,
    `$JS.ACK.${log}.>`,
    "$JS.FC.>",
  ];
  return { publish: [`sb.${team}.>`, ...stream], subscribe: [`sb.${team}.>`, inbox] };
}

function userLine(team: string, { name, publicKey }: BusUser): string {
  const { publish, subscribe } = permissionsOf(team, name);
  return `      # ${name}
      { nkey: ${publicKey}, permissions: {
        publish: { allow: ${list(publish)} }
        subscribe: { allow: ${list(subscribe)} }
      } }`;
}

/** The text of the server's configuration. It has public keys only. Paths begin where the server is started. */
export const serverConfig = ({ team, listen, users, systemKey }: ServerConfig): string =>
  `# Written by 'switchboard bus init'. Start the server in this directory: nats-server -c nats.conf
server_name: ${team}-1
listen: ${JSON.stringify(listen)}
# An acknowledged message is on the disk.
jetstream { store_dir: "./store", sync_interval: always }
accounts {
  ${team}: {
    jetstream: enabled
    users: [
${users.map((user) => userLine(team, user)).join("\n")}
    ]
  }
  SYS: { users: [ { nkey: ${systemKey} } ] }
}
system_account: SYS
tls {
  cert_file: "./server.pem"
  key_file: "./server.key"
  ca_file: "./ca.pem"
  # Machines show a certificate too.
  verify: true
  handshake_first: auto
}
`;
