import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";

let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  bff = await startBff({ now: new Date("2026-11-21T15:00:00Z") });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

const quote = (amount: string) => bff.callSpotApi(spotEndpoints.readQuote, { as: bff.clinic, query: { amount } });

describe("GET /api/quote", () => {
  it.each([2, 3, 8, 33_333, 45_952, 999_999, 129_000_000])(
    "200 for %d returns the pesos that the checkout shows",
    async (total) => {
      const hash = await checkout.newOrder({ total });
      const as = bff.clinic;
      const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: { order_token: hash } });
      const params = { token: minted.body.widget_token };
      const { body: session } = await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params });
      const { texts: _texts, sha256: _sha256, ...shown } = session.quote;
      const { status, body } = await quote(String(total));
      expect([status, body]).toEqual([200, shown]);
    },
  );

  it("is open only to the provider's registered pages", async () => {
    const url = `${bff.spotApi}/api/quote?public_key=${bff.clinic.credentials.public_key}&amount=45952`;
    const allowed = async (origin: string) =>
      (await fetch(url, { headers: { origin } })).headers.get("access-control-allow-origin");
    expect(await allowed("https://elsewhere.example")).toBeNull();
    const [own = ""] = bff.clinic.provider.origins;
    expect(await allowed(own)).toBe(own);
  });

  it.each(["0", "1"])("400 amount_too_small for %s, if nothing would be paid today", async (amount) => {
    const { status, body } = await quote(amount);
    expect([status, body.code]).toEqual([400, "amount_too_small"]);
  });

  it("400 amount_too_large for a later charge above the processor's limit, which the session states", async () => {
    const { status, body } = await quote("140000000");
    expect([status, body.code]).toEqual([400, "amount_too_large"]);
    const hash = await checkout.newOrder({ total: 140_000_000 });
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, {
      as: bff.clinic,
      body: { order_token: hash },
    });
    const params = { token: minted.body.widget_token };
    const { body: session } = await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params });
    expect(session.blocked_by).toBe("amount_too_large");
  });

  it.each(["", "-5", "10.0", "1e3", "40.000", "1000000000", "NaN"])("422 for %j", async (amount) => {
    const { status, body } = await quote(amount);
    expect([status, body.code]).toEqual([422, "validation_error"]);
  });

  it("401 for an unknown key", async () => {
    const query = { amount: "45952", public_key: "PK_nobody" };
    const { status, body } = await bff.callSpotApi(spotEndpoints.readQuote, { query });
    expect([status, body.code]).toEqual([401, "invalid_public_key"]);
  });
});
