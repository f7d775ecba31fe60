/** The token stands in the fragment, which a browser sends to no server and which is in no log of one. */
export const linkUrl = (origin: string, token: string): string => `${origin}/#enter=${token}`;
