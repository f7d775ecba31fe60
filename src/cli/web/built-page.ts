import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorOf } from "../../wire/errors.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";

/** The page that comes with the package. The same from src/ and from dist/. */
export const shippedPage = fileURLToPath(new URL("../../../dist/page", import.meta.url));

export const isPageBuilt = (page = shippedPage): boolean => existsSync(join(page, "index.html"));

/** Only a checkout can be without its page. */
export const pageNotBuilt = (page = shippedPage): ClaudeCodeError =>
  errorOf("invalid_params", `The page is not built: there is no index.html in ${page}.`, {
    data: { path: page },
    hint: "In a checkout, run: npm ci && npm run build",
  });
