/** The sender of what the person says, and the recipient of the lead's answers. No agent has this name. */
export const USER = "user";

/** The sender of what the team's own process says to an agent. */
export const SWITCHBOARD = "switchboard";
