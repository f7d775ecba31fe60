import type { Bus } from "../bus/bus.ts";
import { CommunicationRecord } from "./record/communication-record.ts";
import { MessageContents } from "./record/contents-of-messages.ts";
import { OpenNotices } from "./record/open-notices.ts";
import { Spending } from "./record/spending.ts";
import { TaskBook } from "./tasks/task-book.ts";
import { Timeline } from "./timeline/timeline.ts";

/** Everything that a team has written down. */
export interface TeamRecords {
  readonly bus: Bus;
  readonly timeline: Timeline;
  readonly tasks: TaskBook;
  readonly communication: CommunicationRecord;
  readonly spending: Spending;
  readonly notices: OpenNotices;
  readonly contents: MessageContents;
  /** How many messages the rules have refused, ever. */
  readonly refusals: () => Promise<number>;
}

/** A clock that never goes back, even if the machine's time is changed. */
export const nowMs = (): number => performance.now();

/** Opens the records as earlier processes have left them. */
export async function openTeamRecords(
  bus: Bus,
  onFailure: (error: unknown) => void,
): Promise<TeamRecords> {
  const { records } = bus;
  const timeline = await Timeline.open(records);
  timeline.onFailure(onFailure);
  const tasks = await TaskBook.open({
    records,
    nowMs,
    onChange: (task, writes) => timeline.append({ type: "task_changed", task }, writes),
  });
  const notices = await OpenNotices.open(records);
  timeline.subscribe((events) => events.forEach((event) => notices.hear(event)));
  return {
    bus,
    timeline,
    tasks,
    communication: new CommunicationRecord(records, onFailure),
    spending: new Spending(records),
    notices,
    contents: new MessageContents(records),
    refusals: async () => Number((await records.get("counters", "refusals"))?.value["count"] ?? 0),
  };
}
