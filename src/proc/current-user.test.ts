import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userName } from "./current-user.ts";

test("userName is SWITCHBOARD_USER, or else the login name", () => {
  expect(userName({ SWITCHBOARD_USER: "anna" })).toBe("anna");
  expect(userName({ SWITCHBOARD_USER: " " })).toBe(userInfo().username);
  expect(userName({})).toBe(userInfo().username);
});
