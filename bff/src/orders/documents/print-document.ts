/*
 * A program: sets the document that it is sent, and answers with the file. `document-printer.ts` runs it.
 */
import { answerMessage } from "../../platform/child-program.ts";
import { type SetDocument, setDocument } from "./set-document.ts";

answerMessage((document) => setDocument(document as SetDocument));
