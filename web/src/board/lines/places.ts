/** How high a lane is, and the row of times above the first one. */
export const ROW = 40;
export const HEAD = 24;
