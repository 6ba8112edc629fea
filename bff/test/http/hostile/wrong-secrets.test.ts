import { afterAll, beforeAll, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { webhookEndpoints } from "../../../src/contract/webhook-endpoints.ts";
import { orderHashExample } from "../../../src/partner-docs/order-example.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/* A person in the waiting room guesses secrets from the clinic's own address. */

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff({ addressLimits: { guessesPerMinute: 3, publicCallsPerMinute: 1_000 } });
});
afterAll(() => bff.close());

const params = { hash: orderHashExample };
const guess = (authorization: string) =>
  bff.callOrderApi(orderEndpoints.getOrder, { params, headers: { authorization } });

it("wrong secrets from the clinic's address are slowed down, and its valid credentials are never refused", async () => {
  const statuses: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) statuses.push((await guess(`Bearer cs_${"x".repeat(43)}`)).status);
  const as = bff.clinic;
  expect((await bff.callOrderApi(orderEndpoints.getOrder, { as, params })).status).toBe(404);
  expect((await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: {} })).status).toBe(201);
  expect((await bff.callSpotApi(webhookEndpoints.listWebhookEndpoints, { as })).status).toBe(200);
  expect(statuses).toEqual([401, 401, 401, 429, 429, 429]);
  for (const authorization of ["", "Bearer x", `Bearer ci_${"x".repeat(43)}`])
    expect((await guess(authorization)).status).toBe(429);
});
