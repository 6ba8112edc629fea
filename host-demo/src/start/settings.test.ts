import { expect, it } from "vitest";
import { readSettings } from "./settings.ts";

it("where the probes have a port of their own, the product is waited for there: the faces do not say whether they are ready", () => {
  const { readyUrls, ports } = readSettings({ PROBES_PORT: "4070" }, { isDevelopment: false });
  expect(readyUrls).toEqual(["http://127.0.0.1:4070/readyz"]);
  expect(ports).toContainEqual({ variable: "PROBES_PORT", port: 4070 });
});
