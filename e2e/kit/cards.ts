/** A card of the sandbox. The sandbox's catalogue lists its effect. */
export interface TestCard {
  readonly number: string;
  readonly expiry: string;
  readonly cvc: string;
  readonly holder: string;
}

const HOLDER = "MARIA J ORYAN";

export const CARDS = {
  approved: { number: "4051 8856 0044 6623", expiry: "12/34", cvc: "123", holder: HOLDER },
  declined: { number: "5186 0595 5959 0568", expiry: "12/34", cvc: "123", holder: HOLDER },
} as const satisfies Record<string, TestCard>;
