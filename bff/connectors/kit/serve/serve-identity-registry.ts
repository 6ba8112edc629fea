import type { IdentityRegistry } from "../../../src/gateways/identity-registry.ts";
import { identityRegistryProtocol } from "../../../src/gateways/protocols/identity-registry.ts";
import type { ConnectorService } from "../connector-service.ts";

/** Serves an identity registry in the connector protocol. */
export function serveIdentityRegistry(service: ConnectorService, registry: IdentityRegistry): void {
  service.read(identityRegistryProtocol.check, (input) => registry.check(input));
}
