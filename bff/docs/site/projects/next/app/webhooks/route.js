import { receiveWebhook } from "../../clinic.js";
import { answer } from "../answer.js";

export function POST(request) {
  return answer(async () => {
    // The signature is over the bytes as they came: not `request.json()`.
    await receiveWebhook(new Uint8Array(await request.arrayBuffer()), request.headers);
    return {};
  });
}
