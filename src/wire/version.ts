/** Version of each protocol. It rises when a message that was valid before is not any more. */
export const IPC_PROTOCOL_VERSION = 1;
export const SESSION_PROTOCOL_VERSION = 1;
export const TEAM_PROTOCOL_VERSION = 1;
