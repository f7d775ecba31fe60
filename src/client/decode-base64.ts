/** Without Node's Buffer, which a browser does not have. */
export const base64Bytes = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
