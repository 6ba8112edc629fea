import type { PatientOrder } from "bff/contract/orders";
import type { AmountRow } from "./amounts.tsx";

/** The lines of the clinic's bill as rows. Two may be equal. */
export function billRows(items: NonNullable<PatientOrder["items"]>): readonly AmountRow[] {
  return items.map(({ description, quantity, amount }, index) => ({
    id: String(index),
    label: quantity === 1 ? description : `${quantity} × ${description}`,
    pesos: amount,
  }));
}
