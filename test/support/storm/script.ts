import type { AnswerInput } from "../../../src/rehearsal/answer-schema.ts";
import type { MessagesRequest, RequestBlock } from "../../../src/rehearsal/messages-api.ts";
import type { ScriptFunction } from "../../../src/rehearsal/play-script.ts";
import { seededRandom } from "../../../src/rehearsal/seeded-random.ts";

/** What a message wants of the model: words, calls one after the other, calls at once, or a call to deny. */
export const stepKinds = ["text", "tool", "chain", "pair", "deny"] as const;
/** What the model does about a call that a crash has cut: the same again, a like one, or nothing. */
export const afterCrash = ["same", "fresh", "never"] as const;

export interface Step {
  n: number;
  kind: (typeof stepKinds)[number];
  after: (typeof afterCrash)[number];
}

/** The words of a message. They stand nowhere else, so copies of it can be counted. */
export const wordsOf = ({ n, kind, after }: Step): string => `STEP-${n}-${kind}-${after}-.`;

const callsOf = { text: 0, tool: 1, chain: 2, pair: 2, deny: 1 } as const;
const maxDelayMs = 2_000;

/**
 * A model that works through whatever messages the conversation holds and that it has not answered yet.
 * It keeps nothing itself: after a crash, what the CLI shows it decides what it does.
 */
export function stormScript(seed: number): ScriptFunction {
  const random = seededRandom(seed);
  let calls = 0;
  return ({ body }): AnswerInput => {
    const pace = {
      delay_ms: random() < 0.4 ? 0 : Math.floor(random() ** 2 * maxDelayMs),
      delta_delay_ms: Math.floor(random() * 60),
    };
    const open = unanswered(body);
    for (const step of open) {
      const made = finishedCalls(body, step);
      const left = callsOf[step.kind] - made;
      if (left <= 0 || (step.after === "never" && wasCut(body))) continue;
      const together = step.kind === "pair" ? left : 1;
      const tools = Array.from({ length: together }, (_, index) => {
        calls += 1;
        const nonce = step.after === "same" ? "" : `.${calls}`;
        return markCall(`mark-${step.n}.${made + index + 1}${nonce}.${step.kind}`, random());
      });
      return { ...pace, text: `I will work on number ${step.n} with a tool.`, tools };
    }
    const answers = open.map(({ n }) => `ANSWERED-${n}.`).join(" ");
    return { ...pace, text: `Here is what I have to say to you: ${answers} That is all.` };
  };
}

/** Leaves a line for each time that it runs. */
const markCall = (mark: string, chance: number) => ({
  name: "Bash",
  input: { command: `echo ${mark} >> marks; sleep ${chance < 0.5 ? 0 : chance.toFixed(1)}` },
});

/** The marks that a text names, one for each time that it does. */
export const marksIn = (text: string): string[] => text.match(/mark-\d+\.[\w.]*\w/g) ?? [];

export const answeredIn = (body: MessagesRequest): number[] =>
  body.messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ content }) => [...textOf(content).matchAll(/ANSWERED-(\d+)\./g)])
    .map(([, n]) => Number(n));

function unanswered(body: MessagesRequest): Step[] {
  const answered = new Set(answeredIn(body));
  return body.messages
    .filter(({ role }) => role !== "assistant")
    .flatMap(({ content }) => [...textOf(content).matchAll(/STEP-(\d+)-(\w+)-(\w+)-\./g)])
    .map(([, n, kind, after]) => ({ n: Number(n), kind, after }) as Step)
    .filter(({ n }) => !answered.has(n));
}

/** Calls that came back with a result of their own; what was cut has one that the CLI wrote. */
function finishedCalls({ messages }: MessagesRequest, { n }: Step): number {
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const isCut = (id: string | undefined): boolean =>
    blocks.some(
      (block) =>
        block.tool_use_id === id && /interrupted|unknown/i.test(JSON.stringify(block["content"])),
    );
  return blocks
    .filter(({ type }) => type === "tool_use")
    .filter((block) => JSON.stringify(block["input"]).includes(`mark-${n}.`))
    .filter(({ id }) => !isCut(id)).length;
}

/** Does what came after the model's last words say that it was cut? */
function wasCut({ messages }: MessagesRequest): boolean {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(last + 1)
    .some(({ content }) => /session was interrupted|where you left off/.test(textOf(content)));
}

const blocksOf = (content: string | RequestBlock[]): RequestBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

const textOf = (content: string | RequestBlock[]): string =>
  blocksOf(content)
    .map(({ text = "" }) => text)
    .join("\n");
