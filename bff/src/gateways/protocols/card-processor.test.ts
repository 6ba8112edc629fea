import { describe, expect, it } from "vitest";
import { chargeSchema, registrationSchema } from "./card-processor.ts";

const charge = { outcome: "captured", chargeId: "c", amount: 1_000 };

describe("a charge's answer", () => {
  it("is accepted without a voucher, as connectors of the first version send it", () => {
    expect(chargeSchema.parse(charge)).toEqual(charge);
  });

  it.each([
    { authorisationCode: "1234567890123" },
    { buyOrder: "" },
    { buyOrder: "a b" },
    { buyOrder: "x".repeat(65) },
    { storeCode: "x".repeat(33) },
    { networkTransactionId: "x".repeat(65) },
    { instalments: -1 },
    { instalments: 1.5 },
    { instalments: 100 },
    { instalments: "3" },
  ])("is refused with %o, which the protocol does not define", (voucher) => {
    expect(chargeSchema.safeParse({ ...charge, ...voucher }).success).toBe(false);
  });
});

describe("a registered card's answer", () => {
  const card = { id: "c", brand: "visa", last4: "6623", kind: "credit" };
  const read = (reported: object) =>
    registrationSchema.safeParse({ outcome: "registered", card: { ...card, ...reported } });

  it("is accepted with or without the expiry and holder that connectors of the first version send", () => {
    const reported = { expMonth: 12, expYear: 2029, holderName: "CAMILA ROJAS" };
    expect(read(reported).data).toEqual({ outcome: "registered", card: { ...card, ...reported } });
    expect(read({}).data).toEqual({ outcome: "registered", card });
  });

  it.each([{ expMonth: 12 }, { expYear: 2029 }, { expMonth: null }, { expMonth: 13, expYear: 2029 }])(
    "is refused with half an expiry or an impossible one: %o",
    (reported) => expect(read(reported).success).toBe(false),
  );
});
