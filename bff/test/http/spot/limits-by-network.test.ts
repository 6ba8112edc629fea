import { afterAll, beforeAll, expect, it } from "vitest";
import { mintSelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { CAMILA } from "./people.ts";

/* Limits by address count the caller's network: one host may call from any address of its IPv6 /64. */

let bff: TestBff;
let minted: string;
let link: string;
beforeAll(async () => {
  bff = await startBff({ environment: { TRUSTED_PROXIES: "1" } });
  const { provider, credentials } = bff.clinic;
  minted = (await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body: {} })).body.widget_token;
  const now = bff.clock.now();
  const { url } = await inTransaction(bff.database.db, (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: bff.widgetHost }, tx, {
      provider,
      publicKey: credentials.public_key,
      purpose: "my_data",
      beneficiaryId: null,
      rut: CAMILA.rut,
      now,
      expiresAt: new Date(now.getTime() + 3_600_000),
    }),
  );
  link = new URL(url).searchParams.get("widget_token") ?? "";
});
afterAll(() => bff.close());

const calls = {
  "recovery.address": ["startRecovery", () => ({ rut: CAMILA.rut, way: "email_code", widget_token: minted })],
  "recovery.tries_address": ["verifyRecovery", () => ({ rut: CAMILA.rut, code: "123456", widget_token: minted })],
  "link_code.address": ["sendLinkCode", () => ({ widget_token: link })],
  "link_code.tries_address": ["answerLinkCode", () => ({ widget_token: link, code: "123456" })],
  "data_link.address": ["sendDataLink", () => ({ rut: CAMILA.rut })],
} as const;

it.each(Object.keys(calls) as (keyof typeof calls)[])(
  "the limit %s counts an IPv6 /64 as one network, and both notations of an IPv4 address as one",
  async (limit) => {
    const [name, body] = calls[limit];
    const callFrom = (address: string) =>
      bff.callSpotApi(spotEndpoints[name], {
        as: bff.clinic,
        body: body(),
        headers: { "x-forwarded-for": address },
      });
    for (const address of ["2001:db8::1", "2001:db8:0:0:1:2:3:4", "203.0.113.7", "::ffff:203.0.113.7"])
      await callFrom(address);
    const counts = await bff.database.db
      .selectFrom("rate_limits")
      .select("points")
      .where("key", "like", `${limit}:%`)
      .execute();
    expect(counts).toEqual([{ points: 2 }, { points: 2 }]);
  },
);
