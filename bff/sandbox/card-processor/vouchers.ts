import { createHash } from "node:crypto";
import type { ChargeVoucher, Voucher } from "../../src/contract/vocabulary/voucher.ts";
import type { ProcessorMovement } from "../../src/gateways/card-processor.ts";

/*
 * The sandbox processor's ids of its charges, returns and mandates. They are derived from other ids, so that a call,
 * its inquiry and the list of movements agree.
 */

/** The shop at the processor in whose name everything is charged. */
const STORE_CODE = "597000000001";
const BUY_ORDER_CHARACTERS = 26;

export function chargeVoucher(chargeId: string): ChargeVoucher {
  return {
    ...movementVoucher({ id: chargeId, chargeId, kind: "charge" }),
    instalments: 0,
    networkTransactionId: networkNameOf(chargeId),
  };
}

/**
 * A chargeback does not answer a call, so it has no authorisation code. A code contains a letter, so that it is not
 * mistaken for a one-time code in a receipt.
 */
export function movementVoucher({ id, chargeId, kind }: Pick<ProcessorMovement, "id" | "chargeId" | "kind">): Voucher {
  const shop = { buyOrder: buyOrderOf(chargeId), storeCode: STORE_CODE };
  return kind === "chargeback" ? shop : { ...shop, authorisationCode: `S${digitsOf(id, 5)}` };
}

/** The network's id of a charge or of an authentication. It begins with 0, so it cannot be a card number. */
export function networkNameOf(id: string): string {
  return `0${digitsOf(id, 14)}`;
}

function buyOrderOf(chargeId: string): string {
  return `aapd${chargeId.replaceAll("-", "")}`.slice(0, BUY_ORDER_CHARACTERS);
}

function digitsOf(id: string, digits: number): string {
  const hash = createHash("sha256").update(id).digest("hex");
  return (BigInt(`0x${hash}`) % 10n ** BigInt(digits)).toString().padStart(digits, "0");
}
