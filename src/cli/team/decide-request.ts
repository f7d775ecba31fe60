import { Command, Option } from "commander";
import type { TeamClient } from "../../team/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { isRecord } from "../../wire/json.ts";
import type { Answers, ApprovalScope, PermissionMode } from "../../wire/session/shared-schemas.ts";
import { ApprovalScopeSchema, PermissionModeSchema } from "../../wire/session/shared-schemas.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { replyIn } from "../attach/elicitation-form.ts";
import { answersIn } from "../attach/request-choices.ts";
import { noRequest, noTask, requestNamed, words } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, stateDirOption, teamOption } from "./find-team.ts";
import { print, printJson } from "./print-for-people.ts";
import { decisionHint } from "./request-line.ts";
import { spokenText } from "./text-to-send.ts";

const JSON_HELP = "print the outcome as one line of JSON";

interface Flags extends TeamPlace {
  json?: boolean;
}

interface ApproveFlags extends Flags {
  scope: ApprovalScope;
  input?: string;
  mode?: PermissionMode;
  plan?: string;
}

const approveExamples = `
Examples:
  switchboard approve ID                    let the call run as it is
  switchboard approve ID --input call.json  run it with this input in its place
  switchboard approve ID --plan plan.md --mode acceptEdits
                                            go on with the plan as you edited it`;

/** `switchboard approve ID`: lets a tool run. */
export function approveCommand(): Command {
  return new Command("approve")
    .description("allow what an agent asks for")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .addOption(
      new Option("--scope <scope>", "allow this call, such calls in this session, or always")
        .choices(ApprovalScopeSchema.options)
        .default("once"),
    )
    .option(
      "--input <file>",
      "run the call with this input instead: a JSON file, or - for standard input",
    )
    .option("--plan <file>", "go on with the plan in this file, or - for standard input")
    .addOption(
      new Option("--mode <mode>", "the mode in which a plan goes on").choices(
        PermissionModeSchema.options,
      ),
    )
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .addHelpText("after", approveExamples)
    .action(async (id: string, flags: ApproveFlags) => {
      const { scope, input, mode, plan, json, ...place } = flags;
      const params = {
        request_id: id,
        scope,
        ...(input !== undefined && { updated_input: inputIn(await givenText(input), input) }),
        ...(mode !== undefined && { mode }),
        ...(plan !== undefined && { plan: await givenText(plan) }),
      };
      await using team = await connectChosenTeam(place);
      tell(await requestNamed(team, "approve", params, noRequest(id)), "Allowed.", json);
    });
}

const givenText = (file: string): Promise<string> =>
  file === "-" ? spokenText("-", undefined) : spokenText(undefined, file);

/** @throws `invalid_params` when the text is not a JSON object. */
function inputIn(text: string, file: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed !== undefined) return parsed;
  throw errorOf("invalid_params", `${file === "-" ? "The input" : file} is not a JSON object.`, {
    hint: "'switchboard approvals --json' prints the input that the agent asks about.",
  });
}

function parseJson(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** `switchboard deny ID`: keeps a tool from running. */
export function denyCommand(): Command {
  return new Command("deny")
    .description("refuse what an agent asks for")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .option("--reason <text>", "tell the model why", words)
    .option("--interrupt", "end the agent's turn as well")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (id: string, flags: Flags & { reason?: string; interrupt?: boolean }) => {
      const { reason, interrupt = false, json, ...place } = flags;
      await using team = await connectChosenTeam(place);
      const params = { request_id: id, interrupt, ...(reason !== undefined && { reason }) };
      tell(await requestNamed(team, "deny", params, noRequest(id)), "Denied.", json);
    });
}

const answerExamples = `
Examples:
  switchboard answer ID 2             choose the second option
  switchboard answer ID 1,3           choose two, where several are allowed
  switchboard answer ID "Neither" 1   your own words to the first question, and
                                      the first option of the second one
  switchboard answer ID port=80       fill in the form of an MCP server
  switchboard answer ID accept        send a form with its defaults, or say
                                      that you have opened the page`;

/** `switchboard answer ID ANSWER…`: answers what the lead or an MCP server asks the user. */
export function answerCommand(): Command {
  return new Command("answer")
    .description("answer a question that the lead or an MCP server asks you")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .argument(
      "<answers...>",
      "for each question the number of an option, or your own words; for a form NAME=VALUE",
    )
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .addHelpText("after", answerExamples)
    .action(async (id: string, answers: string[], { json, ...place }: Flags) => {
      await using team = await connectChosenTeam(place);
      const request = await requestWith(team, id);
      if (request.type === "elicitation") {
        const { action, content } = replyIn(answers, request);
        const params = { request_id: id, action, ...(content && { content }) };
        tell(await team.request("respond", params), "Answered.", json);
        return;
      }
      const params = { request_id: id, answers: read(request, answers) };
      tell(await team.request("answer", params), "Answered.", json);
    });
}

/** @throws `unknown_request`. */
async function requestWith(team: TeamClient, id: string): Promise<PendingRequest> {
  const { approvals } = await team.request("approvals", {});
  const request = approvals.find((each) => each.request.request_id === id)?.request;
  if (request) return request;
  throw errorOf("unknown_request", `No agent waits for an answer to ${id}.`, {
    hint: "'switchboard approvals' lists what is pending.",
  });
}

/** @throws `invalid_params` when the answers do not fit the questions. */
function read(request: PendingRequest, lines: readonly string[]): Answers {
  if (request.type !== "question") {
    throw errorOf("invalid_params", `${request.request_id} is not a question.`, {
      hint: decisionHint(request),
    });
  }
  return answersIn(lines, request.questions);
}

/** `switchboard cancel TASK`: takes a task back. */
export function cancelCommand(): Command {
  return new Command("cancel")
    .description("cancel a task and all of its subtasks")
    .argument("<task>", "the id that 'switchboard tasks' lists")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (task: string, { json, ...place }: Flags) => {
      await using team = await connectChosenTeam(place);
      tell(await requestNamed(team, "cancel", { task }, noTask(task)), "Canceled.", json);
    });
}

const tell = (result: unknown, text: string, json = false): void =>
  json ? printJson(result) : print(text);
