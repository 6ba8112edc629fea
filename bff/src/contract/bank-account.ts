import * as z from "zod/mini";
import { rutSchema } from "./vocabulary/rut.ts";

/** Types of account of Chilean banks: cuenta corriente, cuenta vista, cuenta de ahorro. */
const bankAccountTypeSchema = z.enum(["checking", "sight", "savings"]);

/**
 * The bank account that a payout is sent to. It must belong to the payee, because the bank refuses a transfer whose
 * holder differs.
 */
export const bankAccountSchema = z.object({
  bank: z.string().check(z.trim(), z.minLength(2), z.maxLength(80)),
  account_type: bankAccountTypeSchema,
  account_number: z.string().check(z.trim(), z.regex(/^\d{4,20}$/, "must be the digits of the account's number")),
  holder_name: z.string().check(z.trim(), z.minLength(1), z.maxLength(255)),
  holder_rut: rutSchema,
});
export type BankAccount = z.infer<typeof bankAccountSchema>;
