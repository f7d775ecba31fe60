import { expect, test } from "vitest";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import { AttachedTerminal } from "../support/attached-terminal.ts";

const WORDS = 700;
const words = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`);

const script = `
default:
  text: "${words.join(" ")}."
  delta_chars: 24
  delta_delay_ms: 10
`;

test.each([
  { from: { columns: 80, rows: 24 }, to: { columns: 130, rows: 30 } },
  { from: { columns: 110, rows: 32 }, to: { columns: 25, rows: 10 } },
])(
  "attach shows every word of a real session's answer once when its terminal is resized meanwhile: %j",
  async ({ from, to }) => {
    const home = newHome();
    const host = startSession(home, writeScript(home, script));
    const { socket } = await host.ready;
    const terminal = new AttachedTerminal(socket, [], from);
    await terminal.sees("ready");
    terminal.type("tell me\r");
    await terminal.sees("word100");
    terminal.resize(to);
    await terminal.sees(`word${WORDS}.`);
    await terminal.sees("(rehearsed");
    terminal.type("\u0004");
    expect(await terminal.exitCode()).toBe(0);
    const shown = terminal.screen.replaceAll(/[\s●]+/g, "").match(/word\d+?(?=word|\.)/g);
    expect(shown).toEqual(words);
    await host.end("SIGTERM");
  },
);
