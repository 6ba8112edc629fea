import { holdsCardEndingIn } from "./card-number.ts";

/**
 * The card network's name of a payment or a mandate, which it wants named with later charges; absent if the
 * processor gives none.
 */
export interface NetworkNamed {
  readonly networkTransactionId?: string | undefined;
}

/**
 * What the processor's own records say of a charge or a return, with which an operator finds it in the processor's
 * portal. Left out is what the processor does not have.
 */
export interface Voucher {
  /** The processor's order of payment, which it calls `buy order` or `ticket`. */
  readonly buyOrder?: string | undefined;
  /** The merchant's code at the processor, of the shop in whose name it was charged. */
  readonly storeCode?: string | undefined;
  /** The issuer's code, which is on the patient's voucher. */
  readonly authorisationCode?: string | undefined;
}

export interface ChargeVoucher extends Voucher, NetworkNamed {
  /** In how many instalments the issuer has the patient pay it: 0 or 1 is none, and the service never asks for more. */
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

/** What may be kept of a charge's voucher. */
export function chargeVoucherOf(reported: ChargeVoucher, card: CardEnding): ChargeVoucher {
  return {
    ...voucherOf(reported, card),
    ...(reported.instalments !== undefined && { instalments: reported.instalments }),
    ...kept("networkTransactionId", reported.networkTransactionId, card),
  };
}

/** What may be kept of a return's voucher. */
export function voucherOf({ buyOrder, storeCode, authorisationCode }: Voucher, card: CardEnding): Voucher {
  return {
    ...kept("buyOrder", buyOrder, card),
    ...kept("storeCode", storeCode, card),
    ...kept("authorisationCode", authorisationCode, card),
  };
}

/** The network's name of an authentication; null if it gave none that may be stored. */
export function networkNameOf(reported: string | undefined, { last4 }: CardEnding): string | null {
  return reported === undefined || holdsCardEndingIn(reported, last4) ? null : reported;
}

function kept(name: keyof ChargeVoucher, value: string | undefined, { last4 }: CardEnding) {
  return value === undefined || holdsCardEndingIn(value, last4) ? {} : { [name]: value };
}
