import { t, wordFor } from "../words/words.ts";
import type { Call, Outcome } from "./call.ts";

/** Who decided when a rule did. No person has this name. */
const POLICY = "policy";

/** How a call ended, and by whom: "allowed by anna, once". */
export function outcomeText({
  end,
  request,
}: Pick<Call, "request"> & { readonly end: Outcome | undefined }): string {
  if (end === undefined) return t("calls.outcome.unknown");
  const { outcome, by, rule, scope, updatedInput, plan } = end;
  const isAnswer = request.type === "question" || request.type === "elicitation";
  const name = isAnswer && outcome === "allowed" ? "answered" : outcome;
  const word = wordFor("calls.outcome", name) ?? outcome;
  const who =
    by === undefined
      ? word
      : t("calls.by", { outcome: word, who: by === POLICY ? t("calls.policy") : by });
  const more = [
    scope === undefined || outcome !== "allowed" ? undefined : t(`calls.scope.${scope}`),
    updatedInput === undefined && plan === undefined ? undefined : t("calls.wasChanged"),
    rule === undefined ? undefined : t("calls.byRule", { rule }),
  ];
  return [who, ...more.filter((each) => each !== undefined)].join(t("calls.comma"));
}
