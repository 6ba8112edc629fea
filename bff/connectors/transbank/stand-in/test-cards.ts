/** The cards of Transbank's integration environment. Any expiry date is accepted. */
export interface TestCard {
  readonly number: string;
  readonly brand: string;
  /** As `finish` names it: a brand for credit, the kind for others. */
  readonly cardType: string;
  readonly binType: "Credito" | "Debito" | "Prepago";
  readonly paymentType: "VN" | "VD" | "VP";
  readonly isApproved: boolean;
}

const credit = (number: string, brand: string, isApproved: boolean): TestCard => ({
  number,
  brand,
  cardType: brand,
  binType: "Credito",
  paymentType: "VN",
  isApproved,
});
const debit = (number: string, isApproved: boolean): TestCard => ({
  number,
  brand: number.startsWith("4") ? "Visa" : "MasterCard",
  cardType: "Redcompra",
  binType: "Debito",
  paymentType: "VD",
  isApproved,
});
const prepaid = (number: string, brand: string, isApproved: boolean): TestCard => ({
  number,
  brand,
  cardType: "Prepago",
  binType: "Prepago",
  paymentType: "VP",
  isApproved,
});

export const TEST_CARDS: readonly TestCard[] = [
  credit("4051885600446623", "Visa", true),
  credit("370000000002032", "AmericanExpress", true),
  debit("4051884239937763", true),
  debit("4511346660037060", true),
  prepaid("4051886000056590", "Visa", true),
  credit("5186059559590568", "MasterCard", false),
  debit("5186008541233829", false),
  prepaid("5186174110629480", "MasterCard", false),
];
