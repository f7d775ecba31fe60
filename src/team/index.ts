// Public entry: agent-switchboard/team. The team is being built; what its agents will say to each other,
// and how that is recorded, is settled and is here.
export { CommunicationLogSchema } from "../wire/communication-log.ts";
export type { CommunicationLog } from "../wire/communication-log.ts";
export {
  CCMessageSchema,
  MessageTypeSchema,
  parseCCMessage,
  parseSendMessageInput,
  PrioritySchema,
  SendMessageInputSchema,
} from "../wire/team.ts";
export type { CCMessage, MessageType, Priority, SendMessageInput } from "../wire/team.ts";
export { TEAM_PROTOCOL_VERSION } from "../wire/version.ts";
