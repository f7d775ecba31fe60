import { expect, test } from "vitest";
import type { Editor } from "./editor.ts";
import { noAbilities } from "./abilities.ts";
import type { AcpStoredSession, SessionHosts } from "./hosts.ts";
import { Sessions } from "./sessions.ts";
import { errorOf } from "../wire/errors.ts";

const unused = (): never => {
  throw new Error("It was used.");
};

const editor: Editor = {
  abilities: noAbilities,
  name: "acp-plain:test",
  isGone: false,
  update: unused,
  askPermission: unused,
  elicit: unused,
};

function sessionsOf(stored: readonly AcpStoredSession[], hosts: Partial<SessionHosts> = {}) {
  const all: SessionHosts = {
    start: unused,
    socketOf: unused,
    remove: unused,
    list: (cwd) => Promise.resolve(stored.filter((each) => cwd === undefined || each.cwd === cwd)),
    ...hosts,
  };
  return new Sessions(all, { hostFlags: [], lingerMs: 1, approvalTimeoutMs: 0 }, editor);
}

const notFound = errorOf("session_not_found", "There is none.");

const many = Array.from({ length: 120 }, (_, index): AcpStoredSession => ({
  sessionId: `s${index}`,
  cwd: index % 2 === 0 ? "/even" : "/odd",
}));

test("`Sessions.list` gives every session once, page by page, until there is no cursor", async () => {
  const sessions = sessionsOf(many);
  const seen: string[] = [];
  const pages: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await sessions.list(undefined, cursor);
    pages.push(page.sessions.length);
    seen.push(...page.sessions.map(({ sessionId }) => sessionId));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(pages).toEqual([50, 50, 20]);
  expect(seen).toEqual(many.map(({ sessionId }) => sessionId));
});

test("`Sessions.list` gives the sessions of a directory, with title and time where they are known", async () => {
  const titled = { sessionId: "t", cwd: "/odd", title: "A walk", lastUsed: "2026-11-20T00:00:00Z" };
  const { sessions, nextCursor } = await sessionsOf([titled, ...many]).list("/odd", "60");
  expect([sessions.length, nextCursor]).toEqual([1, undefined]);
  expect((await sessionsOf([titled]).list("/odd", undefined)).sessions).toEqual([
    { sessionId: "t", cwd: "/odd", title: "A walk", updatedAt: "2026-11-20T00:00:00Z" },
  ]);
});

test.each(["-1", "1.5", "x", "9007199254740993"])(
  "`Sessions.list` refuses the cursor %j, which is not one of ours",
  async (cursor) => {
    await expect(sessionsOf(many).list(undefined, cursor)).rejects.toMatchObject({
      code: "invalid_params",
    });
  },
);

test("`Sessions.get` knows no session that the editor has not opened", () => {
  expect(() => sessionsOf(many).get("s1")).toThrow(
    expect.objectContaining({ code: -32002, data: expect.objectContaining({ sessionId: "s1" }) }),
  );
});

test("`Sessions.remove` has nothing to do where there is no session any more", async () => {
  const gone = {
    remove: () => Promise.reject(notFound),
    socketOf: () => Promise.resolve(undefined),
  };
  await expect(sessionsOf([], gone).remove("s1")).resolves.toBeUndefined();
});
