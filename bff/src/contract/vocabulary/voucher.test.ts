import { describe, expect, it } from "vitest";
import { chargeVoucherOf, networkNameOf, voucherOf } from "./voucher.ts";

const card = { last4: "6623" };
const NUMBER = "4051885600446623";

describe("the stored voucher of a charge", () => {
  it("contains exactly the values that the processor reported", () => {
    const voucher = { buyOrder: "O-1", storeCode: "597055555532", authorisationCode: "1213", instalments: 0 };
    expect(chargeVoucherOf({ ...voucher, networkTransactionId: "016157" }, card)).toEqual({
      ...voucher,
      networkTransactionId: "016157",
    });
    expect(chargeVoucherOf({}, card)).toEqual({});
  });

  it.each([NUMBER, "4051-8856-0044-6623", `O-${NUMBER}-1`])("never contains the card's number: %s", (value) => {
    expect(chargeVoucherOf({ buyOrder: value, networkTransactionId: value, instalments: 3 }, card)).toEqual({
      instalments: 3,
    });
    expect(voucherOf({ storeCode: value, authorisationCode: "1213" }, card)).toEqual({ authorisationCode: "1213" });
    expect(networkNameOf(value, card)).toBeNull();
  });

  it("may be a long number that only looks like a card's, as networks and processors name payments", () => {
    // Passes Luhn in an issuer's range, but is not the card's number.
    const visa = "4111111111111111";
    expect(chargeVoucherOf({ networkTransactionId: visa }, card)).toEqual({ networkTransactionId: visa });
    expect(networkNameOf(visa, card)).toBe(visa);
  });
});
