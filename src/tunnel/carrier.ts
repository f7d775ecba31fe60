/**
 * Carries messages to one peer and back, under the names of channels. A message may be lost, as may many in a row; it is not
 * expected to be changed. Nothing holds a sender up: the streams have credit for that.
 */
export interface Carrier {
  publish(channel: string, bytes: Uint8Array): void;
  /** The listener must not throw. Returns a function that ends the subscription. */
  subscribe(listener: CarrierListener): () => void;
}

export type CarrierListener = (channel: string, bytes: Uint8Array) => void;

/** The largest message that a tunnel sends, apart from beats and what a stream is opened with. */
export const MAX_DATA_BYTES = 128 * 1024;

/** Carriers to many peers over one connection. */
export interface Carriers {
  to(peer: string): Carrier;
  /** Calls the listener with the name of every peer that is heard, once. */
  onPeer(listener: (peer: string) => void): void;
}
