import type { AgentId } from "../../wire/team/messages.ts";
import { sendQuietNote } from "../delivery/send-quiet-note.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import type { Team } from "../file/team.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";

export interface QuarantineReporterOptions {
  readonly team: Pick<Team, "lead" | "limits">;
  readonly tasks: Pick<TaskBook, "openOf">;
  readonly timeline: Pick<Timeline, "append">;
  readonly replies: Pick<AutomaticAnswers, "giveUp">;
  readonly outbox: Outbox;
  readonly onTrouble: OnTrouble;
}

/** Tells the lead and people that an agent is in quarantine, and ends all waits for its answers. */
export class QuarantineReporter {
  readonly #options: QuarantineReporterOptions;

  constructor(options: QuarantineReporterOptions) {
    this.#options = options;
  }

  /** @param logHint where people find what the agent has printed. */
  async report(id: AgentId, why: string, logHint: string): Promise<void> {
    const { team, tasks, timeline, replies, outbox, onTrouble } = this.#options;
    const { failed_starts: starts } = team.limits;
    const message = `${id} is quarantined: it failed to start ${starts} times in a row. ${why}`;
    const hint = `${logHint} Mend it, then: switchboard restart ${id}`;
    const code = "agent_quarantined";
    timeline.append({ type: "notice", agent: id, level: "error", code, message, hint });
    try {
      for (const task of tasks.openOf(id)) await replies.giveUp(task, message);
      if (id !== team.lead) await sendQuietNote(outbox, team.lead, message);
    } catch (error) {
      onTrouble("The team could not be told of a quarantine", error);
    }
  }
}
