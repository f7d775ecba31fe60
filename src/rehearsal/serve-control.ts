import type { IncomingMessage, ServerResponse } from "node:http";
import { toWire } from "../wire/error-wire.ts";
import { errorOf } from "../wire/errors.ts";
import type { RehearsalStatus } from "./rehearsal-client.ts";
import type { JournalEvent } from "./journal.ts";
import { journalLine } from "./journal.ts";
import { parseScript } from "./load-script.ts";
import { readBody } from "./read-body.ts";
import type { Route } from "./route-of-path.ts";
import { sendJson } from "./send-json.ts";
import type { RehearsalContext } from "./rehearsal-context.ts";

type ControlRoute = Extract<Route, { to: "control" }>;

/** A reader that is this far behind is disconnected; it can return with `since`. */
const maxUnreadBytes = 256 * 1024 * 1024;

/** Requests of tests and tools to the rehearsal itself, under `/rehearsal`. */
export async function serveControl(
  stage: RehearsalContext,
  { name, query }: ControlRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const since = Number(query.get("since") ?? 0);
  const { entries } = stage.journal;
  switch (`${request.method} ${name}`) {
    case "GET ":
      sendJson(response, 200, statusOf(stage));
      break;
    case "GET journal":
      sendJson(response, 200, { entries: entries.filter(({ id }) => id > since) });
      break;
    case "GET events":
      streamEvents(stage, since, response);
      break;
    case "POST script":
      changeScript(stage, await readBody(request), response);
      break;
    default: {
      const what = `${request.method} /rehearsal/${name}`;
      const error = errorOf("method_not_found", `The rehearsal does not know ${what}.`, {
        hint: "Known: GET /rehearsal, GET /rehearsal/journal, GET /rehearsal/events, POST /rehearsal/script.",
      });
      sendJson(response, 404, { error: toWire(error) });
    }
  }
}

function statusOf({ journal, play }: RehearsalContext): RehearsalStatus {
  return {
    rehearsal: true,
    run: journal.run,
    pid: process.pid,
    script: play.script.name ?? "",
    events: journal.events.at(-1)?.n ?? 0,
    failures: journal.failures.length,
  };
}

/** Every event after number `since`, then each as it happens, until the client leaves. */
function streamEvents(
  { journal }: RehearsalContext,
  since: number,
  response: ServerResponse,
): void {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  const send = (event: JournalEvent): void => {
    response.write(journalLine(event));
    if (response.writableLength > maxUnreadBytes) response.destroy();
  };
  for (const event of journal.events) if (event.n > since) send(event);
  response.on("close", journal.listen(send));
}

function changeScript(
  stage: RehearsalContext,
  yamlText: string | undefined,
  response: ServerResponse,
): void {
  try {
    stage.setScript(parseScript(yamlText ?? "", "script"));
    sendJson(response, 200, statusOf(stage));
  } catch (error) {
    sendJson(response, 422, { error: toWire(error) });
  }
}
