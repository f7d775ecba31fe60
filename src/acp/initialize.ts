import type { InitializeResponse, SessionCapabilities } from "@agentclientprotocol/sdk";

/** The newest version of the protocol that this face speaks; a client that asks for another one gets it offered. */
const PROTOCOL_VERSION = 1;

/** `fork` is not in the stable schema yet, which allows more fields. */
const sessionCapabilities: SessionCapabilities & { fork: object } = {
  list: {},
  resume: {},
  close: {},
  delete: {},
  additionalDirectories: {},
  fork: {},
};

/** Answered without a host: the session is started by `session/new`. */
export function initializeAnswer(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "agent-switchboard", title: "Claude Code (Switchboard)", version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities,
    },
    authMethods: [],
  };
}
