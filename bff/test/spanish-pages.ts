/*
 * Finds English words on pages for operators, who read Spanish. Names of ours that an operator looks up in the
 * documents stand in `code`, ids in the class `hash`, and an operator's own notes in `q`; these are not read.
 */

/** Words that no Spanish sentence of the pages has. */
const ENGLISH = new Set(
  `the of and is are was were be been being have had with without for from by to not this that these those it its they
  their them will can cannot must may would should when which who whom whose if an at on in or but any only none nothing
  nobody other another more than then there here again after before until since while because already yet still so such
  each every one two all what why how where do does did done
  order orders payment payments card cards claim claims charge charges charged refund refunds refunded patient patients
  clinic clinics state status kind amount reason due waiting waits wait refused failed pending paid declined captured
  scheduled collected returned return sent expired unknown processing number attempt attempts outcome trigger exception
  exceptions difference party parties day month name role approval request requests answer answered message settings
  switch switched bank lender insurer provider deferred part receipt document documents missing mail mails notice money
  account credit debit books list lists found expected settled settlement payout payouts transfer transfers loan loans closed opened
  filed held approved rejected withdrawn blocked access granted ended started begun asked`
    .trim()
    .split(/\s+/),
);

/** The English words that a page shows, each once. */
export function englishWordsIn(page: string): string[] {
  const text = page
    .replace(/<(style|title|code|q|blockquote|textarea)\b[^>]*>[\s\S]*?<\/\1>/g, " ")
    .replace(/<(\w+) class="hash"[^>]*>[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&\w+;|&#\d+;/g, " ")
    // Addresses, file names and operators' names.
    .replace(/\S*(?:@|:\/\/|\w\.\w)\S*/g, " ");
  // Letters next to a digit belong to an id.
  const words = text.toLowerCase().match(/(?<![\p{L}\d])\p{L}+(?![\p{L}\d])/gu) ?? [];
  return [...new Set(words.filter((word) => ENGLISH.has(word)))];
}
