import { Command, Option } from "commander";
import type { TeamClient } from "../../team/control/client.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Answers, ApprovalScope } from "../../wire/session-terms.ts";
import { ApprovalScopeSchema } from "../../wire/session-terms.ts";
import type { TeamApproval } from "../../wire/team-control.ts";
import { answersIn } from "../attach/requests.ts";
import { noAgent, noRequest, noTask, requestNamed, words } from "./named.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
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
    .argument("<id>", "as 'switchboard approvals' lists it")
    .addOption(
      new Option("--scope <scope>", "for this call, this session, or for ever")
        .choices(ApprovalScopeSchema.options)
        .default("once"),
    )
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (id: string, { scope, json, ...place }: Flags & { scope: ApprovalScope }) => {
      await using team = await connectTeam(place);
      const params = { request_id: id, scope };
      tell(await requestNamed(team, "approve", params, noRequest(id)), "Allowed.", json);
    });
}

/** `switchboard deny ID`: keeps a tool from running. */
export function denyCommand(): Command {
  return new Command("deny")
    .description("refuse what an agent asks for")
    .argument("<id>", "as 'switchboard approvals' lists it")
    .option("--reason <text>", "the model reads it", words)
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (id: string, { reason, json, ...place }: Flags & { reason?: string }) => {
      await using team = await connectTeam(place);
      const params = { request_id: id, ...(reason !== undefined && { reason }) };
      tell(await requestNamed(team, "deny", params, noRequest(id)), "Denied.", json);
    });
}

const answerExamples = `
Examples:
  switchboard answer ID 2                the second choice
  switchboard answer ID 1,3              the first and the third, where several may be chosen
  switchboard answer ID "Neither" 1      words of your own; then the answer to the second question`;

/** `switchboard answer ID ANSWER…`: answers what the lead asks the user. */
export function answerCommand(): Command {
  return new Command("answer")
    .description("answer a question of the lead")
    .argument("<id>", "as 'switchboard approvals' lists it")
    .argument("<answers...>", "for each question the number of a choice, or words of your own")
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .addHelpText("after", answerExamples)
    .action(async (id: string, answers: string[], { json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const params = { request_id: id, answers: await read(team, id, answers) };
      tell(await team.request("answer", params), "Answered.", json);
    });
}

/** @throws `unknown_request`; `invalid_params` when the answers do not fit the questions. */
async function read(team: TeamClient, id: string, lines: readonly string[]): Promise<Answers> {
  const { approvals } = (await team.request("approvals", {})) as { approvals: TeamApproval[] };
  const request = approvals.find((each) => each.request.request_id === id)?.request;
  if (!request) {
    throw errorOf("unknown_request", `No agent waits for an answer to ${id}.`, {
      hint: "'switchboard approvals' lists what is pending.",
    });
  }
  if (request.type !== "question") {
    throw errorOf("invalid_params", `${id} is no question.`, { hint: decisionHint(request) });
  }
  return answersIn(lines, request.questions);
}

/** `switchboard cancel TASK`: takes a task back. */
export function cancelCommand(): Command {
  return new Command("cancel")
    .description("take a task back, with all its parts")
    .argument("<task>", "as 'switchboard tasks' lists it")
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (task: string, { json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      tell(await requestNamed(team, "cancel", { task }, noTask(task)), "Canceled.", json);
    });
}

/** `switchboard down`: stops the team. */
export function downCommand(): Command {
  return new Command("down")
    .description("stop the running team")
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async ({ json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const { team: name, last_seq: since, log_id: logId } = team.init;
      const canceled = new Set<string>();
      await team.follow({ since, logId }, (item) => {
        if (item.type === "task_changed" && item.task.state === "canceled")
          canceled.add(item.task.id);
      });
      await team.request("down", {});
      await team.closed;
      tell(
        { stopped: name, canceled: canceled.size },
        `The team ${name} is stopped.${cut(canceled.size)}`,
        json,
      );
    });
}

/** What nobody had begun is kept for the next start, and is no loss to speak of. */
const cut = (tasks: number): string =>
  tasks === 0 ? "" : ` ${tasks === 1 ? "A task" : `${tasks} tasks`} in work had to be canceled.`;

/** `switchboard restart AGENT`: gives a quarantined agent another chance, or wakes one that sleeps. */
export function restartCommand(): Command {
  return new Command("restart")
    .description("start an agent again that was quarantined, or wake it")
    .argument("<agent>", "its name")
    .addOption(stateDirOption())
    .option("--json", JSON_HELP)
    .action(async (agent: string, { json, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const ids = team.init.agents.map(({ id }) => id);
      const answer = await requestNamed(team, "restart", { agent }, noAgent(agent, ids));
      tell(answer, `${agent} is being started.`, json);
    });
}

const tell = (result: unknown, text: string, json = false): void =>
  json ? printJson(result) : print(text);
