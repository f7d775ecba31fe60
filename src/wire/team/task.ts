import * as z from "zod";
import { closedList } from "../explained-enum.ts";
import { TimestampSchema } from "../id-schemas.ts";
import { AgentIdSchema } from "./messages.ts";

export const TaskStateSchema = closedList({
  submitted: "Sent, not yet delivered.",
  working: "The agent has it.",
  input_required: "The agent waits for a person or for the agent that asked.",
  completed: "Answered.",
  failed: "The agent, or its process, could not do it.",
  canceled: "A person took it back.",
  timed_out: "Nothing was heard of it for too long.",
});
export type TaskState = z.infer<typeof TaskStateSchema>;

export const TaskSchema = z
  .object({
    id: z.uuid().describe("The id of the request."),
    root_id: z.uuid(),
    parent: z.uuid().nullable().describe("The task in whose course this one was asked for."),
    depends_on: z.array(z.uuid()).describe("What has to be completed before it is delivered."),
    from_agent: AgentIdSchema,
    to_agent: AgentIdSchema,
    title: z.string(),
    state: TaskStateSchema,
    outcome: z.string().nullable().describe("The answer's id, or why it ended otherwise."),
    created_at: TimestampSchema,
    updated_at: TimestampSchema,
  })
  .meta({ id: "Task", description: "A piece of work that one agent asked of another." });
export type Task = z.infer<typeof TaskSchema>;
