import * as z from "zod/mini";
import { VAT_PERCENTAGE } from "../terms.ts";
import { type Clp, clp, subtractClp, ZERO } from "./clp.ts";
import type { Rut } from "./rut.ts";

/** `taxed_service`: a service whose price includes VAT. `interest`: the price of the credit, without VAT. */
export const commissionRegimeSchema = z.enum(["taxed_service", "interest"]);
export type CommissionRegime = z.infer<typeof commissionRegimeSchema>;

/** The provider of the taxed service, or of the credit, which issues the tax documents. */
export interface TaxIssuer {
  readonly name: string;
  readonly rut: Rut;
}

/** How a commission is taxed. */
export type CommissionTax =
  /** Without an issuer the service has no documents issued: the lender issues its own. */
  | { readonly regime: "interest"; readonly issuer?: TaxIssuer | undefined }
  | { readonly regime: "taxed_service"; readonly issuer: TaxIssuer };

/** How the fee paid by clinics is taxed: its price includes VAT, or it is exempt. */
export const feeRegimeSchema = z.enum(["taxed_service", "exempt"]);
export type FeeRegime = z.infer<typeof feeRegimeSchema>;

/** The VAT in a commission or fee. The net price is rounded half up, and the rest is VAT. */
export function vatIn({ regime }: { readonly regime: CommissionRegime | FeeRegime }, commission: Clp): Clp {
  if (regime !== "taxed_service") return ZERO;
  const whole = 100 + VAT_PERCENTAGE;
  return subtractClp(commission, clp(Math.floor((200 * commission + whole) / (2 * whole))));
}
