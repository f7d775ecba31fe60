import type { Client } from "@modelcontextprotocol/client";
import type { Figure, Survey } from "../harness.ts";
import { openOfficialClient } from "./official-client.ts";
import { countSharers } from "./real-sessions.ts";
import type { Stage } from "./stage.ts";
import type { CallResult } from "./stdio-client.ts";
import { benchTools } from "./tools.ts";

const SESSIONS = 100;
const STARTED_AT_ONCE = 10;
const CALLS_PER_SESSION = 10;

interface Seen {
  hasAllTools: boolean;
  rightAnswers: number;
  /** Errors that somebody was told. */
  failures: number;
}

export function surveyManySessions({ bridge }: Stage): Survey {
  return {
    title: "Many sessions on one host",
    async measure() {
      const clients: Client[] = [];
      while (clients.length < SESSIONS) {
        const starting = Array.from({ length: STARTED_AT_ONCE }, () => openOfficialClient(bridge));
        clients.push(...(await Promise.all(starting)));
      }
      const seen = await Promise.all(clients.map(use));
      await Promise.all(clients.map((client) => client.close()));
      return [...figuresOf(seen), ...(await countSharers())];
    },
  };
}

async function use(client: Client, session: number): Promise<Seen> {
  const { tools } = await client.listTools();
  const names = new Set(tools.map(({ name }) => name));
  const seen = { hasAllTools: benchTools.every(({ name }) => names.has(name)) };
  const calls = await Promise.allSettled(
    Array.from({ length: CALLS_PER_SESSION }, (_, call) => echo(client, `${session}/${call}`)),
  );
  return {
    ...seen,
    rightAnswers: calls.filter((call) => call.status === "fulfilled" && call.value).length,
    failures: calls.filter((call) => call.status === "rejected").length,
  };
}

async function echo(client: Client, text: string): Promise<boolean> {
  const result = await client.callTool({ name: "echo", arguments: { text } });
  const { content, isError } = result as CallResult;
  if (isError) throw new Error(content?.[0]?.text);
  return content?.[0]?.text === text;
}

function figuresOf(seen: Seen[]): Figure[] {
  const calls = SESSIONS * CALLS_PER_SESSION;
  const right = seen.reduce((sum, { rightAnswers }) => sum + rightAnswers, 0);
  const failures = seen.reduce((sum, each) => sum + each.failures, 0);
  const all = seen.filter(({ hasAllTools }) => hasAllTools).length;
  return [
    {
      name: "official clients at once: with all tools",
      value: all,
      unit: `of ${SESSIONS}`,
      goal: { atLeast: SESSIONS },
    },
    {
      name: "their calls: answered rightly",
      value: right,
      unit: `of ${calls}`,
      goal: { atLeast: calls },
    },
    {
      name: "silent losses: no tools, or no right answer and no error",
      value: SESSIONS - all + calls - right - failures,
      unit: "",
      goal: { atMost: 0 },
    },
  ];
}
