import { InvalidArgumentError } from "commander";
import { type OrderId, readOrderId } from "../../contract/vocabulary/identifiers.ts";

/** An argument that is an order's hash. */
export function readHashArgument(text: string): OrderId {
  const hash = readOrderId(text);
  if (hash === null) throw new InvalidArgumentError("It is no order's hash.");
  return hash;
}
