import { Command, Option } from "commander";
import type { TeamClient } from "../../team/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Answers, ApprovalScope } from "../../wire/session/terms.ts";
import { ApprovalScopeSchema } from "../../wire/session/terms.ts";
import { answersIn } from "../attach/requests.ts";
import { noAgent, noRequest, noTask, requestNamed, words } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, stateDirOption, teamOption } from "./find-team.ts";
import { print, printJson } from "./print.ts";
import { decisionHint } from "./request-line.ts";

const JSON_HELP = "print the outcome as one line of JSON";

interface Flags extends TeamPlace {
  json?: boolean;
}

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
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (id: string, { scope, json, ...place }: Flags & { scope: ApprovalScope }) => {
      await using team = await connectChosenTeam(place);
      const params = { request_id: id, scope };
      tell(await requestNamed(team, "approve", params, noRequest(id)), "Allowed.", json);
    });
}

/** `switchboard deny ID`: keeps a tool from running. */
export function denyCommand(): Command {
  return new Command("deny")
    .description("refuse what an agent asks for")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .option("--reason <text>", "tell the model why", words)
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (id: string, { reason, json, ...place }: Flags & { reason?: string }) => {
      await using team = await connectChosenTeam(place);
      const params = { request_id: id, ...(reason !== undefined && { reason }) };
      tell(await requestNamed(team, "deny", params, noRequest(id)), "Denied.", json);
    });
}

const answerExamples = `
Examples:
  switchboard answer ID 2             choose the second option
  switchboard answer ID 1,3           choose two, where several are allowed
  switchboard answer ID "Neither" 1   your own words to the first question, and
                                      the first option of the second one`;

/** `switchboard answer ID ANSWER…`: answers what the lead asks the user. */
export function answerCommand(): Command {
  return new Command("answer")
    .description("answer a question that the lead asks you")
    .argument("<id>", "the id that 'switchboard approvals' lists")
    .argument("<answers...>", "for each question the number of an option, or your own words")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .addHelpText("after", answerExamples)
    .action(async (id: string, answers: string[], { json, ...place }: Flags) => {
      await using team = await connectChosenTeam(place);
      const params = { request_id: id, answers: await read(team, id, answers) };
      tell(await team.request("answer", params), "Answered.", json);
    });
}

/** @throws `unknown_request`; `invalid_params` when the answers do not fit the questions. */
async function read(team: TeamClient, id: string, lines: readonly string[]): Promise<Answers> {
  const { approvals } = await team.request("approvals", {});
  const request = approvals.find((each) => each.request.request_id === id)?.request;
  if (!request) {
    throw errorOf("unknown_request", `No agent waits for an answer to ${id}.`, {
      hint: "'switchboard approvals' lists what is pending.",
    });
  }
  if (request.type !== "question") {
    throw errorOf("invalid_params", `${id} is not a question.`, { hint: decisionHint(request) });
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

/** `switchboard restart AGENT`: gives a quarantined agent another chance, or wakes one that sleeps. */
export function restartCommand(): Command {
  return new Command("restart")
    .description("start a quarantined agent again, or wake a hibernated one")
    .argument("<agent>", "the agent's name")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (agent: string, { json, ...place }: Flags) => {
      await using team = await connectChosenTeam(place);
      const ids = team.init.agents.map(({ id }) => id);
      const answer = await requestNamed(team, "restart", { agent }, noAgent(agent, ids));
      tell(answer, `${agent} is being started.`, json);
    });
}

const tell = (result: unknown, text: string, json = false): void =>
  json ? printJson(result) : print(text);
