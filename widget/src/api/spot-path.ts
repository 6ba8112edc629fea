/** Public credentials of the session: they say for which clinic the calls are made  */
export interface SessionCredentials {
  readonly clientId: string;
  readonly publicKey: string;
}

/** The address of a call of the spot API. */
export function spotPath(path: string, { publicKey }: Pick<SessionCredentials, "publicKey">): string {
  return `/api/spot/${path}?${new URLSearchParams({ public_key: publicKey })}`;
}
