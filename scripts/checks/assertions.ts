import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Node } from "oxc-parser";
import { parseSync } from "oxc-parser";
import { filesOf } from "./source-files.ts";

/** What an expectation stands in may not run at all. */
const branches = new Set([
  "IfStatement",
  "SwitchCase",
  "CatchClause",
  "ConditionalExpression",
  "LogicalExpression",
  "WhileStatement",
  "ForInStatement",
]);
/** Methods that call a function for each element of a list. */
const eachElement = new Set(["every", "filter", "flatMap", "forEach", "map", "some"]);
/** Methods of a list that keep its length above zero. */
const keepsLength = new Set(["entries", "keys", "map", "toReversed", "toSorted", "values"]);

/**
 * Tests whose expectations need not run: each of them stands in a branch, or in a loop over a list that the file
 * does not write out. If the list is empty, such a test checks nothing and passes. Lint finds tests without any
 * expectation, and expectations without a matcher or an `await`.
 */
export async function checkAssertions(root: string): Promise<string[]> {
  const files = filesOf(root, "{src,test,scripts}/**/*.{ts,tsx}");
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const suites = texts.filter(({ text }) => text.includes('from "vitest"'));
  if (suites.length === 0) return ["There is no test: nothing was checked."];
  return suites.flatMap(({ file, text }) =>
    uncertainTests(file, text).map(
      (line) =>
        `${file}:${line} has a test whose expectations may all be skipped. Expect that the list is not empty, or use test.each.`,
    ),
  );
}

/** The lines on which such tests begin. */
function uncertainTests(file: string, text: string): number[] {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be read: ${errors[0].message}`);
  const values = new Map<string, Node>();
  visit(program, (node) => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init)
      values.set(node.id.name, node.init);
  });
  const found: number[] = [];
  visit(program, (node) => {
    const body = bodyOfTest(node);
    if (body && !certainlyExpects(body, values)) found.push(lineOf(text, node.start));
  });
  return found;
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

function bodyOfTest(node: Node): Node | undefined {
  if (node.type !== "CallExpression" || !["test", "it"].includes(rootName(node))) return undefined;
  return node.arguments.length > 1 ? node.arguments.findLast(isFunction) : undefined;
}

function certainlyExpects(node: Node, values: Map<string, Node>): boolean {
  if (branches.has(node.type)) return false;
  if (node.type === "CallExpression" && /^(?:expect|assert)|^fc$/.test(rootName(node))) return true;
  if (node.type === "ForOfStatement" && !isFilled(node.right, values)) return false;
  const list = elementwise(node);
  if (list && !isFilled(list, values)) return false;
  return childrenOf(node).some((child) => certainlyExpects(child, values));
}

/** The list for whose elements this call runs a function. */
function elementwise(node: Node): Node | undefined {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const { object, property } = node.callee;
  const isEach = property.type === "Identifier" && eachElement.has(property.name);
  return isEach && node.arguments.some(isFunction) ? object : undefined;
}

/** Whether the file itself shows that a list has an element. */
function isFilled(node: Node | undefined, values: Map<string, Node>): boolean {
  switch (node?.type) {
    case "ArrayExpression":
      return node.elements.some((each) =>
        each?.type === "SpreadElement" ? isFilled(each.argument, values) : each !== null,
      );
    case "ObjectExpression":
      return node.properties.length > 0;
    case "Literal":
      return typeof node.value === "string" && node.value !== "";
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return isFilled(node.expression, values);
    case "NewExpression":
      return isFilled(node.arguments[0], values);
    case "Identifier": {
      const others = new Map(values);
      others.delete(node.name);
      return isFilled(values.get(node.name), others);
    }
    case "CallExpression": {
      if (node.callee.type !== "MemberExpression") return false;
      const { object, property } = node.callee;
      if (object.type === "Identifier" && object.name === "Array") return true;
      if (object.type === "Identifier" && object.name === "Object")
        return isFilled(node.arguments[0], values);
      return (
        property.type === "Identifier" && keepsLength.has(property.name) && isFilled(object, values)
      );
    }
    default:
      return false;
  }
}

const isFunction = (node: Node): boolean =>
  node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression";

/** The name with which a chain of calls and members begins. */
function rootName(node: Node): string {
  if (node.type === "CallExpression") return rootName(node.callee);
  if (node.type === "MemberExpression") return rootName(node.object);
  return node.type === "Identifier" ? node.name : "";
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
