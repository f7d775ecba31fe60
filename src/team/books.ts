import type { Bus } from "../bus/bus.ts";
import { CommunicationRecord } from "./record/communication.ts";
import { Spending } from "./record/spending.ts";
import { TaskBook } from "./tasks/task-book.ts";
import { Timeline } from "./timeline/timeline.ts";

/** All that a team has written down. */
export interface Books {
  readonly bus: Bus;
  readonly timeline: Timeline;
  readonly tasks: TaskBook;
  readonly communication: CommunicationRecord;
  readonly spending: Spending;
  /** How many messages the rules have refused, ever. */
  readonly refusals: () => Promise<number>;
}

/** It never goes back, whatever is done to the machine's time. */
export const nowMs = (): number => performance.now();

/** The books as the processes before this one have left them. */
export async function openBooks(bus: Bus, onFailure: (error: unknown) => void): Promise<Books> {
  const { records } = bus;
  const timeline = await Timeline.open(records);
  timeline.onFailure(onFailure);
  const tasks = await TaskBook.open({
    records,
    nowMs,
    onChange: (task, writes) => timeline.append({ type: "task_changed", task }, writes),
  });
  return {
    bus,
    timeline,
    tasks,
    communication: new CommunicationRecord(records, onFailure),
    spending: new Spending(records),
    refusals: async () => Number((await records.get("counters", "refusals"))?.value["count"] ?? 0),
  };
}
