/**
 * The meaning of a refusal by Meta. `recipient`: WhatsApp does not reach this number. `ours`: the template or the
 * account is at fault, which an operator has to correct. `later`: a limit or an outage, which passes.
 */
export type RefusalKind = "recipient" | "opted_out" | "ours" | "later";

/** 131026: no WhatsApp, or too old. 131049: Meta limits messages to the person. 130472: an experiment of Meta's. */
const RECIPIENT: readonly number[] = [130472, 131021, 131026, 131030, 131047, 131049];
/** The person has blocked marketing messages of the business. Only a template of that category meets it. */
const OPTED_OUT = 131050;
/** Limits of throughput, and Meta's own errors. */
const LATER: readonly number[] = [1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 131057, 133004];

export function refusalKindOf(code: number): RefusalKind {
  if (code === OPTED_OUT) return "opted_out";
  if (RECIPIENT.includes(code)) return "recipient";
  return LATER.includes(code) ? "later" : "ours";
}
