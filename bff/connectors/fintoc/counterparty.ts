import * as z from "zod/mini";
import type { BankAccount } from "../../src/contract/bank-account.ts";
import type { BankCode } from "../../src/contract/vocabulary/banks.ts";

/** The account to pay into, in Fintoc's words. */
export const counterpartySchema = z.object({
  holderId: z.string(),
  holderName: z.string(),
  accountNumber: z.string(),
  accountType: z.string(),
  institutionId: z.string(),
});
export type Counterparty = z.output<typeof counterpartySchema>;

const ACCOUNT_TYPES = {
  checking: "checking_account",
  sight: "sight_account",
  savings: "savings_account",
} as const satisfies Record<BankAccount["account_type"], string>;

/** Fintoc's id of each institution (docs.fintoc.com, Chile institution codes). */
const INSTITUTIONS: Readonly<Partial<Record<BankCode, string>>> = {
  "001": "cl_banco_de_chile",
  "009": "cl_banco_internacional",
  "012": "cl_banco_estado",
  "014": "cl_banco_scotiabank",
  "016": "cl_banco_bci",
  "028": "cl_banco_bice",
  "031": "cl_banco_hsbc",
  "037": "cl_banco_santander",
  "039": "cl_banco_itau",
  "049": "cl_banco_security",
  "051": "cl_banco_falabella",
  "053": "cl_banco_ripley",
  "055": "cl_banco_consorcio",
  "504": "cl_banco_bbva",
  "672": "cl_banco_coopeuch",
  "729": "cl_prepago_los_heroes",
  "730": "cl_tenpo",
  "732": "cl_tapp_caja_los_andes",
  "741": "cl_copec_pay",
  "875": "cl_mercado_pago",
};

/** Null for a bank that Fintoc does not know. */
export function counterpartyOf(account: BankAccount, bankCode: BankCode | undefined): Counterparty | null {
  const institutionId = bankCode === undefined ? undefined : INSTITUTIONS[bankCode];
  if (institutionId === undefined) return null;
  return {
    holderId: account.holder_rut.replace(/[.-]/g, "").toLowerCase(),
    holderName: account.holder_name,
    accountNumber: account.account_number,
    accountType: ACCOUNT_TYPES[account.account_type],
    institutionId,
  };
}
