import { expect } from "@playwright/test";
import { moveClock } from "./sandbox-clock.ts";
import { productUrls } from "./tenant.ts";

/** More than the five days after which the sandbox's isapre approves. */
const APPROVED_WITHIN = "7d";

/**
 * The continuation of a paid order with its receipt: the claim is filed, the isapre approves it by the sandbox's clock,
 * and the rest is charged.
 */
export async function claimUntilCollected(credentials: { readonly client_secret: string }, hash: string) {
  const read = async () => {
    const headers = { authorization: `Bearer ${credentials.client_secret}` };
    const response = await fetch(new URL(`/orders/${hash}`, productUrls().orderApiUrl), { headers });
    const { claim, missing_step, collection } = await response.json();
    return { claim: claim?.status, missing_step, collection: `${collection?.status} ${collection?.reason}` };
  };
  await expect.poll(read).toEqual({ claim: "filed", missing_step: null, collection: "scheduled null" });
  await moveClock(credentials, APPROVED_WITHIN);
  expect(await read()).toEqual({ claim: "approved", missing_step: null, collection: "collected approved" });
}
