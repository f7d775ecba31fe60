import type { SessionEventOf } from "agent-switchboard/wire";
import { storedText } from "../stored-text.ts";
import type { TalkState } from "../../state/talk-state.ts";
import { t } from "../../words/words.ts";

/** The whole output of a call: from the event, from the blob beside the log, or from the log. */
export async function wholeOutput(
  state: TalkState,
  result: SessionEventOf<"tool_result">,
): Promise<string> {
  const event = await state.event(result.seq);
  const output = event?.type === "tool_result" ? event.output : result.output;
  if (typeof output !== "string") return storedText(state, output.blob);
  if (event === undefined) throw new Error(t("tool.gone"));
  return output;
}
