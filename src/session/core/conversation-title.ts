import type { Engine } from "../../engine/index.ts";
import type { CliSupervisor } from "./cli-supervisor.ts";
import type { Recorder } from "./event-recorder.ts";

/** The conversation's title, as the CLI or a person chose it. */
export class Title {
  readonly #recorder: Recorder;
  readonly #life: Pick<CliSupervisor, "whenReady">;
  /** Requests that the CLI has not answered yet. It may report the new title without saying who asked for it. */
  readonly #requests = new Set<{ title: string; by: string | undefined }>();

  constructor(recorder: Recorder, life: Pick<CliSupervisor, "whenReady">) {
    this.#recorder = recorder;
    this.#life = life;
  }

  /** Also in Claude Code's own file of the session. @throws `execution_failed` when the CLI refuses. */
  async rename(title: string, by: string | undefined): Promise<void> {
    const request = { title, by };
    const engine = await this.#life.whenReady();
    this.#requests.add(request);
    try {
      await engine.rename(title);
    } finally {
      this.#requests.delete(request);
    }
    this.#record(title, by);
    await this.#recorder.durable();
  }

  /** The CLI keeps a title in its file of the session. While there is no file, each new CLI must be given the title. */
  async giveAgain(engine: Pick<Engine, "rename">, hasFile: boolean): Promise<void> {
    const { title } = this.#recorder.state;
    if (title !== undefined && !hasFile) await engine.rename(title);
  }

  /** As the CLI reports it. */
  titleIs(title: string): void {
    const request = [...this.#requests].find((each) => each.title === title);
    this.#record(title, request?.by);
  }

  #record(title: string, by: string | undefined): void {
    if (title === "" || title === this.#recorder.state.title) return;
    this.#recorder.record({ type: "title_changed", title, ...(by !== undefined && { by }) });
  }
}
