import { holdsCardEndingIn } from "./card-number.ts";

/**
 * The card network's id of a payment or a mandate, which later charges must name; absent if the processor gives none.
 */
export interface NetworkNamed {
  readonly networkTransactionId?: string | undefined;
}

/**
 * The processor's own records of a charge or a return, by which an operator finds it in the processor's portal. Fields
 * that the processor lacks are absent.
 */
export interface Voucher {
  /** The processor's payment order, which it calls `buy order` or `ticket`. */
  readonly buyOrder?: string | undefined;
  /** The code of the merchant's shop at the processor. */
  readonly storeCode?: string | undefined;
  /** The issuer's code, which is on the patient's voucher. */
  readonly authorisationCode?: string | undefined;
}

export interface ChargeVoucher extends Voucher, NetworkNamed {
  /**
   * The number of instalments in which the issuer has the patient pay: 0 or 1 means none, and the service never
   * requests more.
   */
  readonly instalments?: number | undefined;
}

/*
 * The processor's records of a charge are stored for operators. A value that is the card's own number is dropped. The
 * rest of the answer still counts, because the charge must be known whatever else the processor reports
 * (`docs/decisions/0021-returns-that-take-days.md`).
 */

interface CardEnding {
  readonly last4: string;
}

/** The fields of a charge's voucher that may be stored. */
export function chargeVoucherOf(reported: ChargeVoucher, card: CardEnding): ChargeVoucher {
  return {
    ...voucherOf(reported, card),
    ...(reported.instalments !== undefined && { instalments: reported.instalments }),
    ...kept("networkTransactionId", reported.networkTransactionId, card),
  };
}

/** The fields of a return's voucher that may be stored. */
export function voucherOf({ buyOrder, storeCode, authorisationCode }: Voucher, card: CardEnding): Voucher {
  return {
    ...kept("buyOrder", buyOrder, card),
    ...kept("storeCode", storeCode, card),
    ...kept("authorisationCode", authorisationCode, card),
  };
}

/** The network's id of an authentication; null if it gave none that may be stored. */
export function networkNameOf(reported: string | undefined, { last4 }: CardEnding): string | null {
  return reported === undefined || holdsCardEndingIn(reported, last4) ? null : reported;
}

function kept(name: keyof ChargeVoucher, value: string | undefined, { last4 }: CardEnding) {
  return value === undefined || holdsCardEndingIn(value, last4) ? {} : { [name]: value };
}
