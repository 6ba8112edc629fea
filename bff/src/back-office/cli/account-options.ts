import { type BankAccount, bankAccountSchema } from "../../contract/bank-account.ts";

/** The options that name a bank account. */
export interface AccountOptions {
  bank?: string;
  accountType?: string;
  accountNumber?: string;
  holderName?: string;
  holderRut?: string;
}

/** Throws `ZodError` for an account that is not whole. */
export function readAccount({ bank, accountType, accountNumber, holderName, holderRut }: AccountOptions): BankAccount {
  return bankAccountSchema.parse({
    bank,
    account_type: accountType,
    account_number: accountNumber,
    holder_name: holderName,
    holder_rut: holderRut,
  });
}
