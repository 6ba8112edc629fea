import { expect, it } from "vitest";
import { orderEndpoints } from "../contract/order-endpoints.ts";
import { spotEndpoints } from "../contract/spot-endpoints.ts";
import { onWidgetHost } from "./forward.ts";

const offered = [...Object.values(orderEndpoints), ...Object.values(spotEndpoints)].flatMap(
  (endpoint) => onWidgetHost(endpoint) ?? [],
);

it("the allow-list has exactly the calls of the widget", () => {
  expect(offered.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "GET /api/spot/widget/{token}",
    "GET /orders/{hash}",
    "GET /orders/{hash}/agreement",
    "GET /orders/{hash}/agreement/file",
    "GET /orders/{hash}/calendar/file",
    "GET /orders/{hash}/receipt/file",
    "POST /api/spot/patient/agreement",
    "POST /api/spot/patient/card",
    "POST /api/spot/patient/card_page",
    "POST /api/spot/patient/code",
    "POST /api/spot/patient/code/verify",
    "POST /api/spot/patient/consents/withdraw",
    "POST /api/spot/patient/data",
    "POST /api/spot/patient/data_link",
    "POST /api/spot/patient/early_payment",
    "POST /api/spot/patient/erasure",
    "POST /api/spot/patient/insurer_access",
    "POST /api/spot/patient/payment",
    "POST /api/spot/patient/payment/file",
    "POST /api/spot/patient/requests",
    "POST /api/spot/patient/saved_cards/remove",
    "POST /api/spot/returns/{reference}",
    "POST /api/spot/user",
    "POST /api/spot/user/recovery",
    "POST /api/spot/user/recovery/objection",
    "POST /api/spot/user/recovery/verify",
    "POST /api/spot/widget/shown",
    "POST /orders/{hash}/add_payment_method",
    "POST /orders/{hash}/card_page",
    "POST /orders/{hash}/payment",
    "POST /orders/{hash}/recognition",
    "POST /orders/{hash}/recognition/disown",
    "POST /orders/{hash}/recognition/verify",
    "POST /orders/{hash}/validate_customer_identity",
  ]);
});

it("the allow-list has no call that needs a secret, and all its errors have texts for patients", () => {
  for (const endpoint of offered) {
    expect(endpoint.credentials).not.toContain("client_secret");
    expect(endpoint.credentials).not.toContain("secret_key");
    expect(endpoint.caller).toBe("widget");
  }
});
