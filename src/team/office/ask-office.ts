import type { NatsLine } from "../../nats/open-nats-line.ts";
import { fromWire } from "../../wire/error-wire.ts";
import { encodeJson, parseJson } from "../../wire/json-payload.ts";
import type { OfficeFacts, OfficeQuestion } from "../../wire/office.ts";
import { OfficeAnswerSchema } from "../../wire/office.ts";
import { officeSubjects } from "./office-subjects.ts";

const ASK_MS = 2000;

/** Asks the office of a team; undefined when none answers. @throws the office's error. */
export async function askOffice(
  line: Pick<NatsLine, "ask">,
  team: string,
  question: OfficeQuestion,
): Promise<OfficeFacts | undefined> {
  const bytes = await line.ask(officeSubjects(team).ask, encodeJson(question), ASK_MS);
  const parsed = bytes && parseJson(bytes);
  const answer = OfficeAnswerSchema.safeParse(parsed?.ok ? parsed.value : undefined);
  if (!answer.success) return undefined;
  if ("error" in answer.data) throw fromWire(answer.data.error);
  return answer.data;
}
