import { expect, it } from "vitest";
import { readSettings } from "./settings.ts";

it("readiness is checked on the probes' port if that is separate", () => {
  const { readyUrls, ports } = readSettings({ PROBES_PORT: "4070" }, { isDevelopment: false });
  expect(readyUrls).toEqual(["http://127.0.0.1:4070/readyz"]);
  expect(ports).toContainEqual({ variable: "PROBES_PORT", port: 4070 });
});
