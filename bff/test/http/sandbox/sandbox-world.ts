import { orderEndpoints } from "../../../src/contract/order-endpoints.ts";
import { orderHashSchema } from "../../../src/contract/vocabulary/identifiers.ts";
import type { TestBff } from "../../start-bff.ts";
import type { CredentialValues } from "../../test-client.ts";

/** The calling tenant, identified by its credentials. */
interface Caller {
  readonly credentials: CredentialValues;
}

/** Creates an order and returns its hash. */
export async function createOrder(bff: TestBff, as: Caller, reference: string) {
  const answer = await bff.callOrderApi(orderEndpoints.createOrder, {
    as,
    body: {
      reference,
      total_amount: 45_000,
      customer: {
        rut: "40.100.000-3",
        first_name: "Camila",
        last_name: "Rojas Fuentes",
        email: "camila@example.com",
        phone_number: "+56 9 1234 5678",
      },
    },
  });
  return orderHashSchema.parse(answer.body.hash);
}
