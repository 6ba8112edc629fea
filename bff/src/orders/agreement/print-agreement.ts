/*
 * A program: prints each agreement that it is sent, and answers with the file. `agreement-printer.ts` runs it.
 */
import { type PrintedAgreement, printAgreement } from "./agreement-pdf.ts";

process.on("message", (agreement: PrintedAgreement) => {
  void printAgreement(agreement).then((file) => process.send?.(file));
});
