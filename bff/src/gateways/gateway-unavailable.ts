/** Thrown when a gateway could not give something that is only read, such as a list or a public key. */
export class GatewayUnavailable extends Error {
  override readonly name = "GatewayUnavailable";
  readonly code = "outside_party_unavailable";
}
