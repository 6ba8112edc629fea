import type { ConnectorService } from "../connector/connector-service.ts";
import type { IdentityRegistry } from "./port.ts";
import { identityRegistryProtocol } from "./protocol.ts";

/** Serves a registry (the sandbox) in the connector protocol. */
export function serveIdentityRegistry(service: ConnectorService, registry: IdentityRegistry): void {
  service.read(identityRegistryProtocol.check, (input) => registry.check(input));
}
