import { openSale } from "../../clinic.js";
import { answer } from "../answer.js";

export function POST(request) {
  return answer(async () => openSale((await request.json()).rut));
}
