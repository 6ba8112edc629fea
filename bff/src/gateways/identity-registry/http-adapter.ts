import type { Connector } from "../connector/connector.ts";
import { GatewayUnavailable } from "../gateway-unavailable.ts";
import type { IdentityRegistry } from "./port.ts";
import { identityRegistryProtocol } from "./protocol.ts";

/** The national registry behind a connector; `unavailable` if it gives no valid answer. */
export function createHttpIdentityRegistry({ connector }: { readonly connector: Connector }): IdentityRegistry {
  return {
    async check(input) {
      try {
        return await connector.read(identityRegistryProtocol.check, input);
      } catch (error) {
        if (error instanceof GatewayUnavailable) return { outcome: "unavailable" };
        throw error;
      }
    },
  };
}
