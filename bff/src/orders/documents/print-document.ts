/* Child process that typesets the document it receives and replies with the file. `document-printer.ts` starts it. */
import { answerMessage } from "../../platform/child-program.ts";
import { type SetDocument, setDocument } from "./set-document.ts";

answerMessage((document) => setDocument(document as SetDocument));
