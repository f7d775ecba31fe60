import type { TeamDescription } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import { useMayAct, useTeam } from "../state/page-state.ts";
import type { TalkState } from "../state/talk-state.ts";
import type { AgentRow } from "../state/team-state.ts";
import { useAsk } from "../state/use-ask.ts";
import { AgentLink } from "../ui/agent-link.tsx";
import { Failure, Part } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import { AgentActs } from "./agent-acts-keys.tsx";
import { AgentSettings } from "./agent-settings.tsx";
import { Grants } from "./grants.tsx";
import { McpServers } from "./mcp-servers.tsx";
import { NowFacts } from "./now-facts.tsx";
import styles from "./papers.module.css";

/** All that is written about an agent: who it is, what it may do, and what a person can do with it. */
export function PapersTab({
  agent,
  talk,
}: {
  readonly agent: string;
  /** Its conversation, which has the permissions that were given in it. */
  readonly talk?: TalkState;
}) {
  const team = useTeam();
  const mayAct = useMayAct();
  const { answer, failure } = useAsk("team", {});
  const row = team.agents.value.find(({ id }) => id === agent);
  const file = answer?.agents.find(({ id }) => id === agent);
  return (
    <div class={styles.papers}>
      <Failure>{failure}</Failure>
      {answer !== undefined && row === undefined && <p class={styles.note}>{t("papers.left")}</p>}
      {row && (
        <p class={styles.role}>
          <VisibleText text={row.status.description} />
        </p>
      )}
      {row && mayAct && (
        <Part title={t("papers.acts")}>
          <AgentActs row={row} />
        </Part>
      )}
      {row && (
        <Part title={t("papers.now")}>
          <NowFacts row={row} budget={file?.budget} />
          {mayAct && <AgentSettings row={row} {...(talk && { talk })} />}
        </Part>
      )}
      {file && answer && <Written file={file} team={answer} row={row} />}
      {talk && <Grants talk={talk} />}
    </div>
  );
}

type AgentFile = TeamDescription["agents"][number];

/** What the team file says of it. */
function Written({
  file,
  team,
  row,
}: {
  readonly file: AgentFile;
  readonly team: TeamDescription;
  readonly row: AgentRow | undefined;
}) {
  const rules = team.policy.filter(
    ({ agents }) => agents === undefined || agents.includes(file.id),
  );
  return (
    <>
      <Part title={t("papers.prompt")}>
        <div class={styles.prompt}>
          <VisibleText text={file.prompt} />
        </div>
      </Part>
      <Part title={t("papers.rules")}>
        <dl class={styles.rules}>
          <dt>{t("papers.mayMessage")}</dt>
          <dd>
            <Names ids={file.may_message} />
          </dd>
          <dt>{t("papers.mayInterrupt")}</dt>
          <dd>
            <Names ids={file.may_interrupt} />
          </dd>
          <dt>{t("papers.tools")}</dt>
          <dd>
            <p>{t("papers.allTools")}</p>
            <Codes title={t("papers.toolFiles")} texts={file.tools.files} />
            <Codes title={t("papers.allow")} texts={file.tools.allow} />
            <Codes title={t("papers.deny")} texts={file.tools.deny} />
          </dd>
          <dt>{t("papers.policy")}</dt>
          <dd>
            {rules.length === 0 ? (
              t("papers.noRules")
            ) : (
              <ol class={styles.policy}>
                {rules.map((rule, index) => (
                  <li key={index}>
                    <b data-action={rule.action}>{t(`papers.action.${rule.action}`)}</b>{" "}
                    <code>
                      <VisibleText
                        text={rule.match === undefined ? rule.tool : `${rule.tool}(${rule.match})`}
                      />
                    </code>
                    {rule.reason !== undefined && (
                      <span>
                        {" "}
                        <VisibleText text={rule.reason} />
                      </span>
                    )}
                  </li>
                ))}
              </ol>
            )}
          </dd>
          <dt>{t("papers.workdir")}</dt>
          <dd>
            <code>
              <VisibleText text={file.workdir} />
            </code>
            {file.worktree && ` · ${t("papers.worktree")}`}
          </dd>
          <dt>{t("papers.isolation")}</dt>
          <dd>{t(`papers.isolation.${file.isolation}`)}</dd>
        </dl>
      </Part>
      <McpServers file={file} {...(row && { row })} />
    </>
  );
}

function Names({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <>{t("papers.nobody")}</>;
  return (
    <ul class={styles.names}>
      {ids.map((id) => (
        <li key={id}>
          <AgentLink id={id} />
        </li>
      ))}
    </ul>
  );
}

function Codes({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <p>
      {title}:{" "}
      {texts.map((text) => (
        <code key={text}>
          <VisibleText text={text} />{" "}
        </code>
      ))}
    </p>
  );
}
