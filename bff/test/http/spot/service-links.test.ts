import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintSelfServiceToken, type SelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import type { OrderId } from "../../../src/contract/vocabulary/identifiers.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { proveRegistrations } from "../../registered-patient.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { checkoutOf } from "../orders/checkout.ts";
import { CAMILA, given, MATIAS } from "./people.ts";

/*
 * A service link is not a widget token for a clinic's page: the reader of a forwarded mail can neither register anyone
 * with it nor learn who the patient is.
 */

let bff: TestBff;
let order: OrderId;
beforeAll(async () => {
  bff = await startBff();
  order = (await checkoutOf(bff).newOrder({ rut: CAMILA.rut })) as OrderId;
  const { body } = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as: bff.clinic, body: {} });
  expect((await call("registerPatient", body.widget_token, CAMILA.rut)).status).toBe(201);
  await proveRegistrations({ ...bff, db: bff.database.db, keyring: bff.context.keyring }, bff.clinic.provider);
});
afterAll(() => bff.close());

const signUp = { ...CAMILA, consents: given("onboarding") };
const bodies = {
  registerPatient: signUp,
  startRecovery: { way: "email_code" },
  verifyRecovery: { code: "123456" },
} as const;
const names = Object.keys(bodies) as (keyof typeof bodies)[];

function call(name: keyof typeof bodies, widget_token: string, rut: string) {
  return bff.callSpotApi(spotEndpoints[name], { as: bff.clinic, body: { ...bodies[name], rut, widget_token } });
}

async function link(purpose: SelfServiceToken["purpose"], orderId?: OrderId): Promise<string> {
  const { provider, credentials } = bff.clinic;
  const now = bff.clock.now();
  const { url } = await inTransaction(bff.database.db, (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: bff.widgetHost }, tx, {
      provider,
      publicKey: credentials.public_key,
      purpose,
      beneficiaryId: null,
      rut: "12345678-5",
      ...(orderId === undefined ? {} : { orderId }),
      now,
      expiresAt: new Date(now.getTime() + 3_600_000),
    }),
  );
  return new URL(url).searchParams.get("widget_token") ?? "";
}

const used = async () =>
  (await bff.database.db.selectFrom("widget_tokens").select("id").where("used_at", "is not", null).execute()).length;

describe.each(["pay_early", "card_change", "insurer_access", "my_data", "objection"] as const)(
  "a %s link",
  (purpose) => {
    it.each(names)("is widget_token_not_found at %s, with any RUT", async (name) => {
      for (const rut of [CAMILA.rut, MATIAS.rut, "40100000-4"]) {
        const { status, body } = await call(name, await link(purpose, order), rut);
        expect([status, body.code]).toEqual([404, "widget_token_not_found"]);
      }
    });

    it("is not used up by a sign-up if it has no order", async () => {
      const before = await used();
      const answer = await call("registerPatient", await link(purpose), MATIAS.rut);
      expect(answer.body.code).toBe("widget_token_not_found");
      expect(await used()).toBe(before);
    });
  },
);
