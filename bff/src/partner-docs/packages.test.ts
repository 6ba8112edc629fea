import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PACKAGES, PACKAGES_VERSION } from "./samples.ts";

it.each([
  ["@aapd/server", "bff/packages/server"],
  ["@aapd/embed", "widget/packages/embed"],
  ["@aapd/react", "widget/packages/react"],
  ["@aapd/e2e", "e2e/packages/e2e"],
])("the guide names %s exactly", (name, folder) => {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../..", folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ name, version: PACKAGES_VERSION });
  expect(PACKAGES.map(([one]) => one)).toContain(name);
});
