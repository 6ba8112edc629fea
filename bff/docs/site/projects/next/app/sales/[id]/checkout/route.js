import { startCheckout } from "../../../../clinic.js";
import { answer } from "../../../answer.js";

export function POST(_request, { params }) {
  return answer(async () => startCheckout((await params).id));
}
