/**
 * The idempotency key of one attempt. Stays the same until the service has decided, and is then renewed. So twenty
 * presses and a lost answer are one attempt, and another card is another.
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

/** An attempt that is repeated with its first body, because another body under its key would be refused. */
export interface Attempt<Body> extends AttemptKey {
  /** The body of the attempt: the first one given since the attempt was renewed. */
  body(given: Body): Body;
}

export function createAttempt<Body>(newKey: () => string = randomKey): Attempt<Body> {
  const key = createAttemptKey(newKey);
  let body: Body | null = null;
  return {
    current: key.current,
    body: (given) => {
      body ??= given;
      return body;
    },
    renew: () => {
      body = null;
      key.renew();
    },
  };
}

/** The key of a step whose body may be corrected before an answer arrives. Another body is another attempt. */
export interface KeyOfBody {
  of(body: string): string;
  renew(): void;
}

export function createKeyOfBody(newKey: () => string = randomKey): KeyOfBody {
  const key = createAttemptKey(newKey);
  let body: string | null = null;
  function renew(): void {
    body = null;
    key.renew();
  }
  return {
    of: (text) => {
      if (text !== body) renew();
      body = text;
      return key.current();
    },
    renew,
  };
}

/** 128 random bits, also without `crypto.randomUUID` (plain http on a developer's machine). */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
