import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { Choices } from "../../client/index.ts";

type SlashCommands = NonNullable<Choices["slash_commands"]>;

/** The commands that a person may write after a slash. */
export const commandsUpdate = (commands: SlashCommands): SessionUpdate => ({
  sessionUpdate: "available_commands_update",
  availableCommands: commands.map(({ name, description = "", argument_hint: hint }) => ({
    name,
    description,
    ...(hint !== undefined && hint !== "" && { input: { hint } }),
  })),
});
