import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentedEndpoints } from "../../src/partner-docs/endpoint-groups.ts";
import { startBff, type TestBff } from "../start-bff.ts";
import { NO_HASH } from "./orders/checkout.ts";

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

const endpoints = documentedEndpoints()
  .map(([, endpoint]) => endpoint)
  .filter(({ path }) => !path.startsWith("/sandbox"));

describe("an endpoint's address called by another method", () => {
  it.each(endpoints)("$path is 405 with $method in Allow", async ({ path, family, method }) => {
    const url = `${family === "order" ? bff.orderApi : bff.spotApi}${path.replaceAll(/\{\w+\}/g, NO_HASH)}`;
    const response = await fetch(url, { method: "PATCH" });
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
    expect(response.headers.get("allow")?.split(", ")).toContain(method);
  });

  it("an unknown address is 404, whatever the method", async () => {
    expect((await fetch(`${bff.orderApi}/nothing`, { method: "PATCH" })).status).toBe(404);
  });

  it("the widget's host answers 404, as for everything that is not on its list", async () => {
    expect((await fetch(`${bff.widgetHost}/orders/${NO_HASH}/payment`, { method: "PATCH" })).status).toBe(404);
  });
});
