import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { imageOf, looks, screens } from "../browser/support/screens.ts";

const root = resolve(import.meta.dirname, "../..");
const images = join(root, "docs/images");

test("every view of the page has its pictures, and they are small enough to come along", () => {
  const views = readFileSync(join(root, "web/src/app/views.tsx"), "utf8");
  const routes = [...views.matchAll(/<Route path="([^"]+)"/g)].map(([, path]) => path);
  // "/" shows one of the others.
  expect(new Set(routes.filter((path) => path !== "/"))).toEqual(
    new Set(screens.map(({ route }) => route)),
  );
  const expected = screens.flatMap((screen) => looks.map((look) => imageOf(screen, look)));
  expect(expected.filter((name) => !existsSync(join(images, name)))).toEqual([]);
  const bytes = readdirSync(images).reduce(
    (sum, name) => sum + statSync(join(images, name)).size,
    0,
  );
  expect(bytes).toBeLessThan(6_000_000);
});
