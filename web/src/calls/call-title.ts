import type { JsonObject } from "agent-switchboard/wire";
import { t, wordFor } from "../words/words.ts";
import { addressOf } from "./address.ts";
import type { Call } from "./call.ts";
import { toolOf } from "./call.ts";

/** What is asked, in one line. */
export function callTitle({ request }: Pick<Call, "request">): string {
  switch (request.type) {
    case "approval_request":
      return toolTitle(request.tool, request.input);
    case "question":
      return request.questions[0]?.question ?? t("calls.type.question");
    case "plan":
      return t("calls.title.plan");
    case "elicitation":
      return t("calls.title.elicitation", { server: request.server });
    default:
      return wordFor("calls.notice", request.code) ?? request.message;
  }
}

function toolTitle(tool: string, input: JsonObject): string {
  const file = input["file_path"] ?? input["notebook_path"];
  if (typeof file === "string") {
    const word = wordFor("calls.title", tool);
    return `${word ?? tool} ${file}`;
  }
  if (tool === "Bash") return t("calls.title.Bash");
  const { url } = input;
  const host = typeof url === "string" ? addressOf(url)?.host : undefined;
  if (host !== undefined) return t("calls.title.url", { host });
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  if (server !== undefined && name !== undefined) return t("calls.title.mcp", { name, server });
  return t("calls.title.tool", { tool });
}

/** The first line of what would happen, for a notification and a list. */
export function firstLine(call: Pick<Call, "request">): string {
  const { request } = call;
  if (request.type === "elicitation" || request.type === "notice") return request.message;
  if (request.type !== "approval_request") return callTitle(call);
  const { command, url } = request.input;
  const [text] = [command, url, request.description].filter((each) => typeof each === "string");
  return (text ?? callTitle(call)).split("\n", 1)[0] ?? toolOf(call) ?? "";
}

/** What was asked, in a list in which nothing else says it: a command by its words. */
export function shortTitle(call: Pick<Call, "request">): string {
  const { request } = call;
  const isCommand = request.type === "approval_request" && request.tool === "Bash";
  return isCommand ? firstLine(call) : callTitle(call);
}
