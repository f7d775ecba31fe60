/** Begins a terminal's control sequences. */
export const ESC = "\u001b";
