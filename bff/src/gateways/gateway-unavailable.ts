/** Thrown when something that is only read (a list, a public key) could not be had from an outside party. */
export class GatewayUnavailable extends Error {
  override readonly name = "OutsidePartyUnavailable";
  readonly code = "outside_party_unavailable";
}
