/** Thrown when an operation names a provider that does not exist in this environment. */
export class ProviderNotFound extends Error {
  override readonly name = "ProviderNotFound";
  readonly code = "provider_not_found";
}
