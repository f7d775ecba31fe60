/** Begins what a terminal obeys. */
export const ESC = "\u001b";
