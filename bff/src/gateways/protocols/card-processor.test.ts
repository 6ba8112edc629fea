import { describe, expect, it } from "vitest";
import { chargeSchema } from "./card-processor.ts";

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
  ])("is refused with %o, which the protocol does not have", (voucher) => {
    expect(chargeSchema.safeParse({ ...charge, ...voucher }).success).toBe(false);
  });
});
