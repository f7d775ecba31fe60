// What a person has begun to write, kept by conversation in this browser, so that a reload loses nothing.

const DATABASE = "switchboard.drafts";
const STORE = "drafts";

/** A draft that could not be read or written is no reason to stop the person. */
export async function readDraft(conversation: string): Promise<string> {
  try {
    const value: unknown = await done((await store("readonly")).get(conversation));
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}

export async function keepDraft(conversation: string, text: string): Promise<void> {
  try {
    const drafts = await store("readwrite");
    if (text === "") await done(drafts.delete(conversation));
    else await done(drafts.put(text, conversation));
  } catch {
    // As in a private window without storage.
  }
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const request = indexedDB.open(DATABASE, 1);
  request.addEventListener("upgradeneeded", () => request.result.createObjectStore(STORE));
  const database = await done(request);
  const transaction = database.transaction(STORE, mode);
  transaction.addEventListener("complete", () => database.close());
  return transaction.objectStore(STORE);
}

const done = <Value>(request: IDBRequest<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("No storage.")));
  });
