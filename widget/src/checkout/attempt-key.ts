/**
 * The idempotency key of one attempt: the same however often it is asked for, and a new one after the service has decided.
 * So twenty clicks and a lost answer are one attempt, and another card is another.
 */
export interface AttemptKey {
  current(): string;
  renew(): void;
}

export function createAttemptKey(newKey: () => string = randomKey): AttemptKey {
  let key: string | null = null;
  return {
    current: () => {
      key ??= newKey();
      return key;
    },
    renew: () => {
      key = null;
    },
  };
}

/** As `AttemptKey`, for a step whose body may be mended before an answer has come: another body is another attempt. */
export function createKeyOfBody(newKey: () => string = randomKey) {
  const key = createAttemptKey(newKey);
  let body: string | null = null;
  function renew(): void {
    body = null;
    key.renew();
  }
  return {
    of: (text: string): string => {
      if (text !== body) renew();
      body = text;
      return key.current();
    },
    renew,
  };
}

/** 128 random bits, also where `crypto.randomUUID` is missing (plain http on a developer's machine). */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
