import { signal } from "@preact/signals";
import type { ContentBlock, MessagePriority } from "agent-switchboard/wire";
import { explain } from "../../link/errors.ts";
import { t } from "../../words/words.ts";
import { keepDraft, readDraft } from "./drafts.ts";
import type { Picture } from "./pictures.ts";
import { contentOf, MAX_PICTURE_MB, pictureOf } from "./pictures.ts";
import { randomId } from "./random-id.ts";

const PAUSE_MS = 300;

type Send = (
  message: string | readonly ContentBlock[],
  options: { readonly id: string; readonly priority: MessagePriority },
) => Promise<unknown>;

interface Sending {
  readonly id: string;
  /** Empty when it has only pictures. */
  readonly text: string;
}

/** What a person is writing to one conversation. */
export class ComposerState {
  readonly text = signal("");
  readonly pictures = signal<readonly Picture[]>([]);
  readonly priority = signal<MessagePriority>("next");
  /** Messages on their way whose event has not come yet, oldest first. */
  readonly sending = signal<readonly Sending[]>([]);
  readonly problem = signal<string | undefined>(undefined);
  readonly #conversation: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasTyped = false;

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  async open(): Promise<void> {
    const draft = await readDraft(this.#conversation);
    if (!this.#wasTyped) this.text.value = draft;
  }

  type(text: string): void {
    this.#wasTyped = true;
    this.text.value = text;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), PAUSE_MS);
  }

  keep(): void {
    clearTimeout(this.#timer);
    if (this.#wasTyped) void keepDraft(this.#conversation, this.text.value);
  }

  /** True when there was something to send. What could not be sent comes back. */
  send(send: Send): boolean {
    const text = this.text.value;
    const pictures = this.pictures.value;
    if (text.trim() === "" && pictures.length === 0) return false;
    this.type("");
    this.keep();
    this.pictures.value = [];
    this.problem.value = undefined;
    const id = randomId();
    this.sending.value = [...this.sending.value, { id, text: text.trim() }];
    send(contentOf(text, pictures), { id, priority: this.priority.value })
      .catch((error: unknown) => {
        this.problem.value = t("talk.notSent", { why: explain(error) });
        this.type([text, this.text.value].filter((each) => each !== "").join("\n"));
        this.pictures.value = [...pictures, ...this.pictures.value];
      })
      .finally(() => {
        this.sending.value = this.sending.value.filter((each) => each.id !== id);
      });
    return true;
  }

  async addFiles(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const picture = await pictureOf(file);
      const { name } = file;
      if (picture === "too_large") {
        this.problem.value = t("talk.tooLarge", { name, n: MAX_PICTURE_MB });
      } else if (picture === "no_picture") this.problem.value = t("talk.notAPicture", { name });
      else this.pictures.value = [...this.pictures.value, picture];
    }
  }

  removePicture(id: string): void {
    this.pictures.value = this.pictures.value.filter((picture) => picture.id !== id);
  }
}
