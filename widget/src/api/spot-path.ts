/** The session's public credentials, which identify the clinic of a call. */
export interface SessionCredentials {
  readonly clientId: string;
  readonly publicKey: string;
}

/** The URL of a call of the Spot API. */
export function spotPath(path: string, { publicKey }: Pick<SessionCredentials, "publicKey">): string {
  return `/api/spot/${path}?${new URLSearchParams({ public_key: publicKey })}`;
}
