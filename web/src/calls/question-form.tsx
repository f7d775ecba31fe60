import type { Answers, Question } from "agent-switchboard/wire";
import { useId, useState } from "preact/hooks";
import { VisibleText } from "../characters/visible-text.tsx";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import type { RequestOf } from "./call.ts";
import type { Chosen, ChosenByQuestion } from "./chosen-answers.ts";
import { answersOf, unanswered } from "./chosen-answers.ts";
import { OtherKeys } from "./other-keys.tsx";
import type { TicketPart } from "./ticket-parts.ts";
import styles from "./ticket.module.css";

const nothing: Chosen = { labels: [], own: "" };

/** The model's questions: one of the options, several, or own words. */
export function QuestionForm(part: TicketPart<RequestOf<"question">>) {
  const { request, deciding, isDead } = part;
  const [chosen, setChosen] = useState<ChosenByQuestion>(new Map());
  const { questions } = request;
  const answer = (): void => {
    if (isDead) return;
    const open = unanswered(questions, chosen);
    if (open !== undefined) {
      deciding.refuse(new Error(t("calls.unanswered", { question: open })));
      return;
    }
    const answers: Answers = answersOf(questions, chosen);
    deciding.decide({ kind: "answer", answers });
  };
  return (
    <form
      class={styles.deciders}
      onSubmit={(event) => {
        event.preventDefault();
        answer();
      }}
    >
      {questions.map((question) => (
        <OneQuestion
          key={question.question}
          question={question}
          chosen={chosen.get(question.question) ?? nothing}
          onChange={(choice) => setChosen(new Map(chosen).set(question.question, choice))}
        />
      ))}
      <OtherKeys {...part} denyWord="calls.dontAnswer">
        <Key type="submit" tone="go" isDisabled={isDead}>
          {deciding.sent === "answer" ? t("calls.sending") : t("calls.answer")}
        </Key>
      </OtherKeys>
    </form>
  );
}

function OneQuestion({
  question: { question, header, options, multi },
  chosen,
  onChange,
}: {
  readonly question: Question;
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}) {
  const name = useId();
  const choose = (label: string, isChosen: boolean): void => {
    const others = multi ? chosen.labels.filter((each) => each !== label) : [];
    const labels = isChosen ? [...others, label] : others;
    onChange({ labels, own: multi ? chosen.own : "" });
  };
  const shown = options.find(({ label, preview }) => {
    return preview !== undefined && chosen.labels.at(-1) === label;
  });
  return (
    <fieldset class={styles.question}>
      <legend>
        {header !== undefined && (
          <span class={styles.chip}>
            <VisibleText text={header} />
          </span>
        )}
        <VisibleText text={question} />
      </legend>
      {options.map(({ label, description }) => (
        <label key={label} class={styles.choice}>
          <input
            type={multi ? "checkbox" : "radio"}
            name={name}
            checked={chosen.labels.includes(label)}
            onInput={(event) => choose(label, event.currentTarget.checked)}
          />
          <span>
            <b>
              <VisibleText text={label} />
            </b>
            {description !== undefined && (
              <small>
                <VisibleText text={description} />
              </small>
            )}
          </span>
        </label>
      ))}
      {shown?.preview !== undefined && (
        <pre class={styles.preview}>
          <VisibleText text={shown.preview} />
        </pre>
      )}
      <label class={styles.field}>
        {t("calls.ownWords")}
        <input
          type="text"
          value={chosen.own}
          onInput={(event) =>
            onChange({ labels: multi ? chosen.labels : [], own: event.currentTarget.value })
          }
        />
      </label>
    </fieldset>
  );
}
