/** Version of each protocol. It increases when a message that was valid before no longer is. */
export const IPC_PROTOCOL_VERSION = 1;
export const SESSION_PROTOCOL_VERSION = 1;
export const TEAM_PROTOCOL_VERSION = 1;
/** Between the ends of a tunnel, and between a team and its hosts, which talk through one. */
export const TUNNEL_PROTOCOL_VERSION = 1;
