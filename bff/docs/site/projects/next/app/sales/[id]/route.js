import { readSale } from "../../../clinic.js";
import { answer } from "../../answer.js";

export function GET(_request, { params }) {
  return answer(async () => readSale((await params).id));
}
