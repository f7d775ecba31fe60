/** Pictures that the model reads and the page shows. SVG is not among them: it is a program. */
export const pictureTypes: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);
