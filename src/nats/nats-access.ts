/** How a server is reached, and by whom. */
export interface NatsAccess {
  /** `nats://HOST:PORT`; several, separated by commas, are servers of one cluster. */
  readonly url: string;
  /** Shown by the server. */
  readonly name: string;
  /** The secret half of an nkey. */
  readonly seed?: string;
  /** Replies come under this prefix: the server allows each user its own alone. */
  readonly inboxPrefix?: string;
  /** Paths of PEM files. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}
