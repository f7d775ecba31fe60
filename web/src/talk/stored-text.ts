import type { TalkState } from "../state/talk-state.ts";

/** A whole text that was too large for its event. */
export const storedText = async (state: TalkState, blob: string): Promise<string> =>
  new TextDecoder().decode(await state.source.blob(blob));
