import * as z from "zod";
import { EffortSchema, PermissionModeSchema } from "./shared-schemas.ts";

// What a person can choose from in a session, as a picker shows it. The CLI names it when it is up.

const ModelChoiceSchema = z
  .object({
    id: z.string().min(1).describe("What set_model takes."),
    label: z.string().describe("Its name, for people."),
    description: z.string().optional(),
    model: z.string().optional().describe("The model behind the id, where the CLI names it."),
    efforts: z
      .array(EffortSchema)
      .describe("What set_thinking takes while this model answers; empty: nothing."),
  })
  .meta({ id: "ModelChoice" });
export type ModelChoice = z.infer<typeof ModelChoiceSchema>;

const SlashCommandSchema = z.object({
  name: z.string().min(1).describe("Without the slash."),
  description: z.string().optional(),
  argument_hint: z.string().optional(),
  aliases: z.array(z.string().min(1)).optional().describe("Other names of the same command."),
});
export type SlashCommand = z.infer<typeof SlashCommandSchema>;

/** The fields that `init`, `status` and `choices` share. */
export const choices = {
  models: z.array(ModelChoiceSchema).optional().describe("Absent until the CLI is up."),
  modes: z
    .array(PermissionModeSchema)
    .optional()
    .describe("The modes that set_mode may name in this session."),
  slash_commands: z.array(SlashCommandSchema).optional().describe("Absent until the CLI is up."),
};
export type Choices = z.infer<z.ZodObject<typeof choices>>;
