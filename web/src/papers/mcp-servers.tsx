import type { TeamDescription } from "agent-switchboard/wire";
import { VisibleText } from "../characters/visible-text.tsx";
import type { AgentRow } from "../state/team-state.ts";
import { Part } from "../ui/view.tsx";
import { t } from "../words/words.ts";
import styles from "./papers.module.css";

/** Where its tools come from: as the file says, and as its session has told. */
export function McpServers({
  file,
  row,
}: {
  readonly file: TeamDescription["agents"][number];
  readonly row?: AgentRow;
}) {
  const told = new Map((row?.status.mcp_servers ?? []).map((server) => [server.name, server]));
  const written = new Map(file.mcp.map((server) => [server.name, server]));
  const names = [...new Set([...written.keys(), ...told.keys()])];
  return (
    <Part title={t("papers.mcp")}>
      {names.length === 0 && <p>{t("papers.noMcp")}</p>}
      <ul class={styles.grants}>
        {names.map((name) => {
          const server = written.get(name);
          const state = told.get(name);
          const where = server?.url ?? [server?.command, ...(server?.args ?? [])].join(" ").trim();
          return (
            <li key={name}>
              <b>
                <VisibleText text={name} />
              </b>
              {state && (
                <span data-failed={state.status === "failed"}>
                  {t(`papers.server.${state.status}`)}
                  {state.tools !== undefined &&
                    ` · ${t("papers.toolCount", { n: state.tools.length })}`}
                </span>
              )}
              {where !== "" && (
                <code>
                  <VisibleText text={where} />
                </code>
              )}
              {state?.error !== undefined && (
                <span data-failed>
                  <VisibleText text={state.error} />
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
