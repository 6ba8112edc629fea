/*
 * A program: prints the agreement that it is sent, and answers with the file. `agreement-printer.ts` runs it.
 */
import { answerMessage } from "../../platform/child-program.ts";
import { type PrintedAgreement, printAgreement } from "./agreement-pdf.ts";

answerMessage((agreement) => printAgreement(agreement as PrintedAgreement));
