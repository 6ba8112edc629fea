/* Child process of `agreement-printer.ts`: prints the agreement that it receives and answers with the file. */
import { answerMessage } from "../../platform/child-program.ts";
import { type PrintedAgreement, printAgreement } from "./agreement-pdf.ts";

answerMessage((agreement) => printAgreement(agreement as PrintedAgreement));
