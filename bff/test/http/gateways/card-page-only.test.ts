import { afterAll, beforeAll, expect, it } from "vitest";
import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { spotEndpoints } from "../../../src/contract/spot-endpoints.ts";
import { GatewayUnavailable } from "../../../src/gateways/gateway-call.ts";
import { startBff, type TestBff } from "../../start-bff.ts";
import { type Checkout, checkoutOf } from "../orders/checkout.ts";
import { CARDS } from "../orders/orders-world.ts";

/*
 * A card processor without a key, which accepts cards only on its own page. The service calls it over the network, in
 * the connector protocol.
 */
let bff: TestBff;
let checkout: Checkout;
beforeAll(async () => {
  const sealingKey = () => Promise.reject(new GatewayUnavailable("It has none."));
  bff = await startBff({
    callsOverNetwork: true,
    cardProcessor: { cardPage: async () => "only", cardPageDisplay: async () => "window", sealingKey },
  });
  checkout = checkoutOf(bff);
});
afterAll(() => bff.close());

async function identified(): Promise<string> {
  const hash = await checkout.newOrder();
  await checkout.identify(hash);
  return hash;
}
const open = (hash: string, inquire = false) => checkout.call("openCardPage", hash, { body: { inquire } });

it("every clinic's widget opens the page, whatever the clinic's terms", async () => {
  for (const as of [bff.clinic, await bff.createProvider({ cardPage: false })]) {
    const minted = await bff.callSpotApi(spotEndpoints.mintWidgetToken, { as, body: {} });
    const params = { token: minted.body.widget_token };
    const { status, body } = await bff.callWidgetHost(spotEndpoints.readWidgetToken, { params });
    expect([status, body.card_entry, body.sealing_keys.card]).toEqual([200, "page", null]);
    expect(body.card_page_display).toBe("window");
  }
});

it("a card is registered there and pays, and its payment can be refunded", async () => {
  const hash = await identified();
  await checkout.onCardPage((await open(hash)).body.page.url, CARDS.approved);
  expect((await open(hash, true)).body).toMatchObject({ status: "added", payment_method: { last4: "6623" } });
  expect((await checkout.pay(hash)).body.payment.status).toBe("succeeded");
  expect((await checkout.refund(hash, { amount: 40_000 })).body.refund.status).toBe("succeeded");
  expect(await checkout.read(hash)).toMatchObject({ status: "refunded", payments: [{ returned_amount: 12_000 }] });
});

it("a declined card, or an abandoned page, leads to another page", async () => {
  const hash = await identified();
  await checkout.onCardPage((await open(hash)).body.page.url, "4051885600000024");
  expect((await open(hash, true)).body.code).toBe("card_declined");
  await checkout.onCardPage((await open(hash)).body.page.url, "cancel");
  expect((await open(hash, true)).body.code).toBe("card_page_abandoned");
  await checkout.onCardPage((await open(hash)).body.page.url, CARDS.approved);
  expect((await open(hash, true)).body.status).toBe("added");
});

it("a sealed card is still refused, and no part of it is stored", async () => {
  const hash = await identified();
  const sealed = { sealed_card: "eyJhbGciOiJSU0EtT0FFUC0yNTYifQ.AAAA.AAAA.AAAA.AAAA" };
  const { status, body } = await bff.callOrderApi(orderEndpoints.addPaymentMethod, {
    as: bff.clinic,
    params: { hash },
    body: sealed,
  });
  expect([status, body.code]).toEqual([400, "sealed_card_refused"]);
  expect((await checkout.read(hash)).readiness.payment_method_added).toBe(false);
});
