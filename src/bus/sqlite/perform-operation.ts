import type { Kind, Operation, StoreOutcome } from "../store.ts";
import { claim } from "./claim-messages.ts";
import { deadDiscard, deadGet, deadList, deadResend } from "./dead-letters.ts";
import { counts, get, history } from "./read-messages.ts";
import { recordGet, recordQuery, write } from "./records.ts";
import { send } from "./send-message.ts";
import { hold, settle } from "./settle-messages.ts";
import type { OpenDatabase } from "./database-in-use.ts";

type Performers = {
  [K in Kind]: (tables: OpenDatabase, operation: Operation<K>) => StoreOutcome<K>;
};

const performers: Performers = {
  send,
  claim,
  settle,
  hold,
  get,
  history,
  counts,
  deadList,
  deadGet,
  deadResend,
  deadDiscard,
  write,
  recordGet,
  recordQuery,
};

export function perform<K extends Kind>(
  tables: OpenDatabase,
  operation: Operation<K>,
): StoreOutcome<K> {
  const performer = performers[operation.kind];
  return performer(tables, operation);
}
