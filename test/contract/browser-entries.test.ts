import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

const root = `${import.meta.dirname}/../..`;
const MAX_GZIP_BYTES = 22_000;

interface Entry {
  name: string;
  file: string;
  /** Folders that may be in the bundle. */
  layers: string;
  /** Runs in the page: opens a client over a transport that answers, and returns what came of it. */
  use: string;
}

const entries: Entry[] = [
  {
    name: "client/core",
    file: "src/client/core.ts",
    layers: "text|time|wire|session-state|stream|client",
    use: `(async () => {
      const place = { log_id: "l", epoch: 1, last_seq: 1 };
      const init = { type: "init", protocol: 1, version: "0", read_only: false, rehearsal: true, session_id: "s", ...place, state: "idle", pending: [], queued: [], cwd: "/", mode: "default" };
      const lines = page.transport([init], (line) => line.type === "attach"
        ? [{ type: "attached", ref: line.ref, ...place, since: 0, reset: false, client: line.client }, { type: "from_a_newer_host", seq: 1 }]
        : line.type === "message"
          ? [{ type: "user_message", seq: 2, at: "2026-11-16T12:00:00.000Z", id: line.id, text: line.text, by: "me", priority: "next" }, { type: "ok", ref: line.ref }]
          : []);
      const client = await entry.SessionClient.open(async () => lines);
      const { id } = await client.send("hi");
      let talk = entry.emptyConversation;
      for await (const event of client.events()) {
        talk = entry.fold(talk, [event]);
        if (event.type === "user_message") break;
      }
      await client.close();
      return JSON.stringify([id, talk.items.map(({ kind }) => kind)]);
    })()`,
  },
  {
    name: "team/core",
    file: "src/team/core.ts",
    layers: "text|time|wire|stream|team/client|team",
    use: `(async () => {
      const status = { team: "t", lead: "a", rehearsal: true, pid: 1, log_id: "l", last_seq: 0, agents: [], open_tasks: 0, dead_letters: 0, refusals: 0, cost_usd: 0 };
      const lines = page.transport([{ type: "init", protocol: 1, version: "0", ...status }], ({ id, method, params }) => [
        { jsonrpc: "2.0", id, result: method === "attach" ? { log_id: "l", since: 0, last_seq: 0, reset: false } : params },
      ]);
      const client = await entry.TeamClient.open(async () => lines);
      const { id } = await client.request("send", { text: "hi" });
      await client.close();
      return JSON.stringify([id, ["message"]]);
    })()`,
  },
];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each(entries)("$name in a browser", ({ file, layers, use }) => {
  test("needs no package and nothing of Node, and stays small", async () => {
    const { metafile, outputFiles } = await bundle(file);
    const inputs = Object.entries(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(10);
    for (const [path] of inputs)
      expect(path).toMatch(new RegExp(`^src/(?:${layers})/[\\w/-]+\\.ts$`));
    expect(inputs.flatMap(([, { imports }]) => imports.filter((each) => each.external))).toEqual(
      [],
    );
    const code = outputFiles[0]?.text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""') ?? "";
    expect(code).not.toMatch(/\b(?:process|Buffer|require|__dirname|setImmediate)\s*[.(]/);
    const { byteLength } = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 });
    expect(byteLength).toBeGreaterThan(5_000);
    expect(byteLength).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  });

  test("works without a secure context, and where a strict policy forbids eval", async () => {
    const { outputFiles } = await bundle(file);
    const context = createContext(globalsOfPage(), {
      codeGeneration: { strings: false, wasm: false },
    });
    expect(() => runInContext("new Function('return 1')", context)).toThrow("Code generation");
    runInContext(outputFiles[0]?.text ?? "", context);
    const [id, kinds] = JSON.parse(await (runInContext(use, context) as Promise<string>));
    expect(id).toMatch(uuid);
    expect(kinds).toEqual(["message"]);
  });
});

function bundle(file: string) {
  return build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    minify: true,
    platform: "browser",
    format: "iife",
    globalName: "entry",
    target: "es2024",
    write: false,
    metafile: true,
    logLevel: "silent",
    external: ["node:*"],
  });
}

const getRandomValues = (bytes: Uint8Array): Uint8Array => crypto.getRandomValues(bytes);

/** What a page over plain http has, `crypto.randomUUID` not among it. */
function globalsOfPage(): object {
  const { AbortController, AbortSignal, DOMException, TextDecoder, TextEncoder } = globalThis;
  return {
    AbortController,
    AbortSignal,
    DOMException,
    TextDecoder,
    TextEncoder,
    setTimeout,
    clearTimeout,
    queueMicrotask,
    atob,
    performance,
    crypto: { getRandomValues },
    page: { transport },
  };
}

/** A transport whose other side sends `first`, and then what `answer` returns for each line. */
function transport(first: object[], answer: (line: object) => object[]) {
  const waiting: object[] = [...first];
  const state = { isOpen: true, wake: undefined as (() => void) | undefined };
  const close = async (): Promise<void> => {
    state.isOpen = false;
    state.wake?.();
  };
  return {
    send: async (line: object): Promise<void> => {
      waiting.push(...answer(line));
      state.wake?.();
    },
    close,
    async *[Symbol.asyncIterator]() {
      while (state.isOpen) {
        const value = waiting.shift();
        if (value) yield { ok: true, value };
        else await new Promise<void>((resolve) => (state.wake = resolve));
      }
    },
  };
}
