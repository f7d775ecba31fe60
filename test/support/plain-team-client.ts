import { onTestFinished } from "vitest";
import type { Channel } from "../../src/net/channel.ts";
import { channel } from "../../src/net/channel.ts";
import { jsonLines } from "../../src/net/codec.ts";
import { dial } from "../../src/net/connect-with-retries.ts";
import { controlSocket, observeSocket } from "../../src/team/state-dir/control-socket-path.ts";
import type { Parsed } from "../../src/wire/json-payload.ts";
import { TeamServerMessageSchema } from "../../src/wire/team/socket-lines.ts";
import { Trail } from "./trail.ts";

export interface PlainLine {
  readonly [field: string]: unknown;
  readonly type: string;
  readonly seq?: number;
  readonly id?: unknown;
}

/** A client of a team that knows nothing but lines. Answers are lines of the type "answer" to it. */
export class PlainTeamClient extends Trail<PlainLine> {
  readonly #lines: Channel<unknown, Parsed>;
  #asked = 0;

  constructor(lines: Channel<unknown, Parsed>) {
    super();
    this.#lines = lines;
    void this.#read();
    onTestFinished(() => lines.close());
  }

  static connect({ stateDir }: { readonly stateDir: string }): Promise<PlainTeamClient> {
    return PlainTeamClient.#dial(controlSocket(stateDir));
  }

  static observe({ stateDir }: { readonly stateDir: string }): Promise<PlainTeamClient> {
    return PlainTeamClient.#dial(observeSocket(stateDir));
  }

  static async #dial(path: string): Promise<PlainTeamClient> {
    return new PlainTeamClient(channel(await dial(path), jsonLines));
  }

  send(id: unknown, method: string, params?: object): Promise<void> {
    return this.#lines.send({ jsonrpc: "2.0", id, method, params });
  }

  say(bytes: string): void {
    this.#lines.trySend(new TextEncoder().encode(bytes));
  }

  answer(id: unknown): Promise<PlainLine> {
    return this.until("answer", { fits: (line: PlainLine) => line["id"] === id });
  }

  async ask(id: unknown, method: string, params?: object): Promise<PlainLine> {
    await this.send(id, method, params);
    return this.answer(id);
  }

  /** The result of a method. @throws the whole answer, when it is an error. */
  async result(method: string, params?: object): Promise<Record<string, unknown>> {
    const { result, error } = await this.ask(`asked-${(this.#asked += 1)}`, method, params);
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as Record<string, unknown>;
  }

  /** The error that a method is answered with, with the table's code and hint in `data`. */
  async refusal(method: string, params?: object): Promise<Record<string, unknown>> {
    const { result, error } = await this.ask(`asked-${(this.#asked += 1)}`, method, params);
    if (error === undefined) throw new Error(`not refused: ${JSON.stringify(result)}`);
    return error as Record<string, unknown>;
  }

  get seqs(): number[] {
    return this.told.flatMap(({ seq }) => seq ?? []);
  }

  async #read(): Promise<void> {
    for await (const line of this.#lines) {
      if (!line.ok) throw line.error;
      // Whatever a team sends is what the schema says.
      const value = TeamServerMessageSchema.parse(line.value) as unknown as PlainLine;
      this.add("jsonrpc" in value ? { ...value, type: "answer" } : value);
    }
  }
}
