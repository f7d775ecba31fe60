import { expect, test } from "vitest";
import { isModuleSource } from "./module-syntax.ts";

test.each([
  ['import { z } from "zod";'],
  ['import"./side-effect.js";'],
  ['import * as fs from "node:fs";\nconst a: number = 1;'],
  ["const a: number = 1;\nexport { a };"],
  ["const a: number = 1;\nexport default a;"],
  ["interface A { b: string }\nexport const a: A = { b: '' };"],
])("%j is a module", (source) => {
  expect(isModuleSource(source)).toBe(true);
});

test.each([
  ['const { z } = require("zod");\nmodule.exports = { z };'],
  ["const text = `\nimport x from 'y';\n`;"],
  ['const a: string = "x";\nexports.a = a;'],
  ["export interface A { b: string }\nconst a: A = { b: '' };\nmodule.exports = a;"],
  ['import type { A } from "./a.ts";\nexport type B = A;\nconst a: A = require("./a.ts");'],
  ["const = 1;"],
])("%j is no module", (source) => {
  expect(isModuleSource(source)).toBe(false);
});
