import type { CCMessage, TeamEventOf } from "agent-switchboard/wire";
import type { MessageReport } from "agent-switchboard/team/core";
import { VisibleText } from "../characters/visible-text.tsx";
import { useTeam } from "../state/page-state.ts";
import { useAsk } from "../state/use-ask.ts";
import { AgentLink } from "../ui/agent-link.tsx";
import { cords } from "../ui/cord-class.ts";
import { MessageCard } from "../ui/message-card.tsx";
import { nameOf } from "../ui/name-of.ts";
import { Table } from "../ui/table.tsx";
import { Facts, Failure, Part, View } from "../ui/view.tsx";
import { When } from "../ui/when.tsx";
import { lengthOfTime, number, t, wordFor } from "../words/words.ts";
import styles from "./mail.module.css";

/** One message whole: what it said, the steps it went, and the turn that it caused. */
export function MessagePage({ id }: { readonly id: string }) {
  const { answer, failure } = useAsk("message", { id }, ["message_moved", "message_sent"]);
  const back = <a href="/mail">{t("mail.back")}</a>;
  if (answer === undefined) {
    return (
      <View title={t("board.words")} tools={back}>
        <Failure>{failure}</Failure>
      </View>
    );
  }
  const { message } = answer;
  return (
    <View title={`${nameOf(message.from_agent)} → ${nameOf(message.to_agent)}`} tools={back}>
      <div class={styles.whole}>
        <Card message={message} />
      </div>
      <MessageFacts report={answer} />
      {message.thinking !== null && (
        <Part title={t("mail.thinking")}>
          <p class={styles.thinking}>
            <VisibleText text={message.thinking} />
          </p>
        </Part>
      )}
      <Steps message={message} />
      {(answer.answers.length > 0 || answer.answered !== undefined) && (
        <Part title={t("mail.answers")}>
          <div class={styles.whole}>
            {answer.answers.map((each) => (
              <Card key={each.id} message={each} link={`/mail/${each.id}`} />
            ))}
            {answer.answered && (
              <p class={styles.answered}>
                <VisibleText text={answer.answered.text} />
              </p>
            )}
          </div>
        </Part>
      )}
    </View>
  );
}

function Card({ message, link }: { readonly message: CCMessage; readonly link?: string }) {
  const row = useTeam().agents.value.find(({ id }) => id === message.from_agent);
  return (
    <MessageCard
      message={message}
      cord={row && cords[row.cord]}
      {...(link !== undefined && { link })}
    />
  );
}

function MessageFacts({ report }: { readonly report: MessageReport }) {
  const { message, state, attempts, turn } = report;
  const { metadata, reply_to: reply, root_id: root, path } = message;
  return (
    <Facts
      pairs={[
        [t("board.from"), <AgentLink id={message.from_agent} />],
        [t("board.to"), <AgentLink id={message.to_agent} />],
        [t("mail.type"), message.type],
        [t("mail.priority"), t(`board.priority.${metadata.priority}`)],
        [t("mail.queue"), <VisibleText text={wordFor("mail.state", state) ?? state} />],
        [t("lost.attempts"), number(attempts)],
        [t("board.sent"), <When at={message.timestamp} />],
        [
          t("mail.turn"),
          turn && (
            <a href={`/a/${turn.agent}?at=${turn.session_seq}#${turn.turn_id}`}>
              {turn.agent} · {turn.turn_id}
            </a>
          ),
        ],
        [
          t("mail.task"),
          message.type === "task_request" && (
            <a href={`/tasks/${message.id}`}>{t("mail.openTask")}</a>
          ),
        ],
        [t("mail.repliesTo"), reply !== null && <a href={`/mail/${reply}`}>{reply.slice(0, 8)}</a>],
        [t("mail.began"), root !== message.id && <a href={`/mail/${root}`}>{root.slice(0, 8)}</a>],
        [t("mail.path"), path.map(nameOf).join(" → ")],
        [t("mail.ttl"), metadata.ttl !== null && lengthOfTime(metadata.ttl * 1000)],
      ]}
    />
  );
}

type Step = TeamEventOf<"message_moved"> | TeamEventOf<"message_sent">;

/** The steps that the timeline tells, each with the time since the message was sent. */
function Steps({ message }: { readonly message: CCMessage }) {
  const { answer, failure } = useAsk(
    "timeline",
    { root: message.root_id, types: ["message_sent", "message_moved"], limit: 1000 },
    ["message_moved"],
  );
  const steps = (answer?.events ?? []).filter(
    (event): event is Step =>
      (event.type === "message_sent" && event.message.id === message.id) ||
      (event.type === "message_moved" && event.id === message.id),
  );
  const first = Date.parse(steps[0]?.at ?? message.timestamp);
  return (
    <Part title={t("mail.steps")}>
      <Failure>{failure}</Failure>
      <Table
        caption={t("mail.steps")}
        rows={steps}
        keyOf={({ seq }) => String(seq)}
        columns={[
          { key: "at", title: t("mail.time"), cell: ({ at }) => <When at={at} /> },
          {
            key: "step",
            title: t("mail.step"),
            isName: true,
            cell: (step) => t(`mail.step.${step.type === "message_sent" ? "sent" : step.step}`),
          },
          {
            key: "after",
            title: t("mail.after"),
            isNumber: true,
            cell: ({ at }) => {
              const ms = Date.parse(at) - first;
              return ms < 1000 ? `${number(ms)} ms` : lengthOfTime(ms);
            },
          },
          {
            key: "why",
            title: t("lost.why"),
            cell: (step) =>
              step.type === "message_moved" && step.reason !== undefined ? (
                <VisibleText text={step.reason} />
              ) : (
                ""
              ),
          },
          {
            key: "event",
            title: t("replay.at"),
            isNumber: true,
            isMinor: true,
            cell: ({ seq }) => <a href={`/board?at=${seq}`}>{number(seq)}</a>,
          },
        ]}
      />
    </Part>
  );
}
