import type {
  PromptRequest,
  PromptResponse,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Choices, SessionClient, SessionEvent, SessionItem } from "../../client/index.ts";
import { randomUuid } from "../../text/uuid-of-digest.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { ConfigChange, SessionConfig } from "../config-options.ts";
import { changed, configChange, configOptions, modeState } from "../config-options.ts";
import type { Editor } from "../editor.ts";
import { contentOfPrompt } from "../prompt/prompt-content.ts";
import { OpenPrompts } from "../prompt/open-prompts.ts";
import { EditorRequests } from "../requests/editor-requests.ts";
import type { TranslationState } from "../translate/translate.ts";
import { beginning, translate } from "../translate/translate.ts";
import { commandsUpdate } from "../translate/commands.ts";
import { UpdateSender } from "../update-sender.ts";
import { pastEvents } from "./past-events.ts";

/** Where to connect after the host was lost: it may have to be started again. */
export interface Link {
  /** @param from the last event that the editor has; without it, only what happens from now on. */
  open(from: SessionClient["place"] | undefined, watch: Watch): Promise<SessionClient>;
}

/** What a connection tells unasked. */
export interface Watch {
  readonly onChoices: (choices: Choices) => void;
  readonly onClients: () => void;
}

const RESTARTS = 3;

/** One session, as the editor sees it. */
export class AcpSession {
  readonly id: string;
  readonly cwd: string;
  readonly #editor: Editor;
  readonly #link: Link;
  readonly #sender: UpdateSender;
  readonly #requests: EditorRequests;
  readonly #prompts: OpenPrompts;
  #client: SessionClient;
  #state: TranslationState;
  #config: SessionConfig;
  /** Set while there is no host, or none that can be reached. */
  #down: ClaudeCodeError | undefined;
  #reopening: Promise<void> | undefined;
  #restarts = 0;
  #isClosed = false;
  #hasBegun = false;
  #inSnapshot = false;
  #shownConfig = "";

  constructor(id: string, client: SessionClient, editor: Editor, link: Link) {
    const { init } = client;
    this.id = id;
    this.cwd = init.cwd;
    this.#client = client;
    this.#editor = editor;
    this.#link = link;
    this.#state = { ...beginning(init.cost_usd), context: init.context };
    this.#config = configOf(client);
    this.#sender = new UpdateSender((update) => editor.update(id, update));
    this.#prompts = new OpenPrompts(() => this.#client, init.turn_id);
    this.#requests = new EditorRequests(this.#asking(), editor);
  }

  get modes(): SessionModeState {
    return modeState(this.#config);
  }

  get configOptions(): SessionConfigOption[] {
    return configOptions(this.#config);
  }

  /** Tells the editor everything that has happened so far, once, also when the host ends meanwhile, as after its linger time. */
  async replay(): Promise<void> {
    const upto = this.#client.place.since;
    let newest = 0;
    // The sums of the past come with its events.
    this.#state = beginning();
    for (let attempt = 1; ; attempt += 1) {
      try {
        for await (const event of pastEvents(this.#client, upto)) {
          if (event.seq <= newest) continue;
          newest = event.seq;
          this.#tell(event, true);
          await this.#sender.whenReady();
        }
        return await this.#sender.flushed();
      } catch (error) {
        if (!isLost(error) || this.#editor.isGone || attempt > RESTARTS) throw error;
        await this.#reopen();
      }
    }
  }

  /** From now on events are told as they happen, and what waits for a person is asked. */
  begin(): void {
    if (this.#isClosed) return;
    this.#hasBegun = true;
    const { choices, init } = this.#client;
    this.#sendChoices(choices);
    if (init.title !== undefined) {
      this.#sender.push({ sessionUpdate: "session_info_update", title: init.title });
    }
    for (const request of init.pending) this.#requests.ask(request);
    void this.#read();
  }

  /** @throws what the turn failed with; `invalid_params`. */
  async prompt(request: PromptRequest, cancelled: AbortSignal): Promise<PromptResponse> {
    const content = contentOfPrompt(request);
    await this.#mustBeUp();
    const cancel = (): void => {
      // The end of the editor is no wish to end the turn.
      if (!this.#editor.isGone) this.cancel();
    };
    cancelled.addEventListener("abort", cancel, { once: true });
    try {
      const outcome = await this.#prompts.send(randomUuid(), content);
      await this.#sender.flushed();
      if (outcome.ok) return outcome.response;
      throw outcome.error;
    } finally {
      cancelled.removeEventListener("abort", cancel);
    }
  }

  cancel(): void {
    this.#prompts.cancelAll();
  }

  /** @throws `invalid_params` for what the session does not offer. */
  async setConfig(id: string, value: unknown): Promise<SessionConfigOption[]> {
    const change = configChange(this.#config, id, value);
    if (change === undefined) {
      throw errorOf("invalid_params", `This session offers no ${id} ${JSON.stringify(value)}.`);
    }
    await this.#mustBeUp();
    await this.#carryOut(change);
    this.#config = changed(this.#config, change);
    this.#shownConfig = JSON.stringify(this.configOptions);
    return this.configOptions;
  }

  /** Leaves the session; it goes on. */
  async detach(): Promise<void> {
    this.#isClosed = true;
    this.#requests.forgetAll();
    await this.#client.close();
  }

  /** Ends the session's turn and its process. */
  async shutDown(): Promise<void> {
    this.cancel();
    this.#isClosed = true;
    if (this.#down === undefined) {
      await this.#client.abort({ queue: "drop" }).catch(() => {});
      await this.#client.shutdown();
    }
    this.#prompts.failAll(errorOf("aborted", "The session was closed."));
    await this.detach();
  }

  #asking() {
    return {
      id: this.id,
      cwd: this.cwd,
      client: () => this.#client,
      modes: () => this.#config.choices.modes ?? [],
      flushed: () => this.#sender.flushed(),
    };
  }

  async #read(): Promise<void> {
    const client = this.#client;
    let error: ClaudeCodeError | undefined;
    try {
      for await (const item of client.events()) {
        this.#take(item);
        const wait = this.#sender.whenReady();
        if (wait) await wait;
      }
    } catch (thrown) {
      error = thrown as ClaudeCodeError;
    }
    if (client === this.#client && !this.#isClosed) await this.#lost(error);
  }

  #take(item: SessionItem): void {
    if (item.type === "reset" || item.type === "snapshot_begin") {
      // It repeats what the editor has, or had.
      this.#inSnapshot = true;
      return;
    }
    if (item.type === "snapshot_end") {
      this.#inSnapshot = false;
      return;
    }
    switch (item.type) {
      case "approval_request":
      case "question":
      case "plan":
      case "elicitation":
        this.#requests.ask(item);
        break;
      case "notice": {
        const { request_id } = item;
        if (request_id !== undefined) this.#requests.ask({ ...item, request_id });
        break;
      }
      case "approval_resolved":
        this.#requests.resolved(item.request_id);
        break;
      case "mode_changed":
        this.#config = { ...this.#config, mode: item.mode };
        this.#sender.push({ sessionUpdate: "current_mode_update", currentModeId: item.mode });
        this.#sendConfig();
        break;
      case "model_changed": {
        const { alias, model, effort = this.#config.effort } = item;
        this.#config = { ...this.#config, model: alias ?? model, effort };
        this.#sendConfig();
        break;
      }
      case "closing":
        this.#down = errorOf("connection_lost", `The session's process ended (${item.reason}).`);
        break;
      default:
    }
    if (!this.#inSnapshot) this.#tell(item, false);
    this.#prompts.take(item);
  }

  #tell(event: SessionEvent, isPast: boolean): void {
    const { state, updates } = translate(this.#state, event, {
      cwd: this.cwd,
      abilities: this.#editor.abilities,
      isPast,
      isOwnMessage: (id) => this.#prompts.isOwn(id),
      hasPrompt: this.#prompts.size > 0,
    });
    this.#state = state;
    for (const update of updates) this.#push(update);
  }

  #push(update: SessionUpdate): void {
    this.#sender.push(update);
  }

  #sendChoices(choices: Choices): void {
    this.#config = { ...this.#config, choices };
    if (choices.slash_commands) this.#push(commandsUpdate(choices.slash_commands));
    this.#sendConfig();
  }

  /** Editors redraw their menus for it, so it is sent only when something is different. */
  #sendConfig(): void {
    const options = this.configOptions;
    const shown = JSON.stringify(options);
    if (shown === this.#shownConfig) return;
    this.#shownConfig = shown;
    this.#push({ sessionUpdate: "config_option_update", configOptions: options });
  }

  /** What the answer to `session/new` has said need not be said again. */
  noteShown(): void {
    this.#shownConfig = JSON.stringify(this.configOptions);
  }

  async #carryOut(change: ConfigChange): Promise<void> {
    if (change.set === "mode") return this.#client.setMode(change.mode);
    if (change.set === "model") return this.#client.setModel(change.model);
    return this.#client.setThinking(change.effort);
  }

  /** The connection has ended. When something was going on, the host is started again; otherwise with the next prompt. */
  async #lost(cause: ClaudeCodeError | undefined): Promise<void> {
    const wasEnded = this.#down !== undefined;
    this.#down ??= cause ?? errorOf("connection_lost", "The session's process has ended.");
    const isBusy = this.#prompts.isBusy || this.#requests.size > 0;
    this.#requests.forgetAll();
    if (wasEnded || !isBusy || this.#restarts >= RESTARTS) {
      this.#prompts.failAll(this.#down);
      return;
    }
    this.#restarts += 1;
    await this.#reopen().catch((failure: ClaudeCodeError) => this.#prompts.failAll(failure));
  }

  async #mustBeUp(): Promise<void> {
    if (this.#isClosed) throw errorOf("session_not_found", "The session was closed.");
    if (this.#down === undefined) return;
    await this.#reopen();
    this.#restarts = 0;
  }

  #reopen(): Promise<void> {
    this.#reopening ??= this.#connectAgain().finally(() => (this.#reopening = undefined));
    return this.#reopening;
  }

  async #connectAgain(): Promise<void> {
    const { place } = this.#client;
    await this.#client.close();
    this.#client = await this.#link.open(place, this.watch);
    this.#down = undefined;
    this.#config = configOf(this.#client);
    if (!this.#hasBegun) return;
    for (const request of this.#client.init.pending) this.#requests.ask(request);
    this.#prompts.sendAgain();
    void this.#read();
  }

  readonly watch: Watch = {
    onChoices: (choices) => {
      if (this.#hasBegun) this.#sendChoices(choices);
      else this.#config = { ...this.#config, choices };
    },
    onClients: () => this.#requests.clientsChanged(),
  };
}

const isLost = (error: unknown): boolean =>
  error instanceof ClaudeCodeError && error.code === "connection_lost";

function configOf({ init, choices }: SessionClient): SessionConfig {
  const { mode, model, effort } = init;
  return { mode, model, effort, choices };
}
