/* Child process of `picture-converter.ts`: receives one picture as a message and answers with it as a JPEG, or ends. */
import { answerMessage } from "../../platform/child-program.ts";
import { pictureToJpeg } from "./picture-to-jpeg.ts";

const [, , type] = process.argv;

answerMessage((picture) => pictureToJpeg(picture, type));
