import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { imageOf, looks, sessionScreens, teamScreens } from "../browser/support/screens.ts";

const root = resolve(import.meta.dirname, "../..");
const images = join(root, "docs/images");
const views = readFileSync(join(root, "web/src/app/views.tsx"), "utf8");

/** The addresses that a component routes. One whose last part may be missing counts as two. */
function routesOf(component: string): Set<string> {
  const [, body = ""] = new RegExp(`function ${component}\\(\\)([^]*?)\\n}`).exec(views) ?? [];
  const paths = [...body.matchAll(/<Route path="([^"]+)"/g)].map(([, path = ""]) => path);
  // "/" shows one of the others.
  return new Set(
    paths
      .filter((path) => path !== "/")
      .flatMap((path) =>
        path.endsWith("?") ? [path.replace(/\/:\w+\?$/, ""), path.slice(0, -1)] : [path],
      ),
  );
}

test.each([
  { component: "TeamViews", screens: teamScreens, atLeast: 10 },
  { component: "SessionViews", screens: sessionScreens, atLeast: 4 },
])("every route of $component has a picture in every look", ({ component, screens, atLeast }) => {
  const routes = routesOf(component);
  expect(routes.size).toBeGreaterThanOrEqual(atLeast);
  expect(new Set(screens.map(({ route }) => route))).toEqual(routes);
  const expected = screens.flatMap(({ name }) => looks.map((look) => imageOf(name, look)));
  expect(expected.filter((name) => !existsSync(join(images, name)))).toEqual([]);
});

test("the pictures are those of the views, and small enough to come along", () => {
  const names = readdirSync(images);
  const known = [...teamScreens, ...sessionScreens].flatMap(({ name }) =>
    looks.map((look) => imageOf(name, look)),
  );
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  const bytes = names.reduce((sum, name) => sum + statSync(join(images, name)).size, 0);
  expect(bytes).toBeLessThan(6_000_000);
});
