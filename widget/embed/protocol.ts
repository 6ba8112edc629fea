/*
 * The protocol between a partner's page (the host) and the checkout inside its iframe (the frame). Version 1.
 * Both sides import this one file.
 *
 *   host window                                         frame window
 *   ───────────                                         ────────────
 *                 ◀── window: announce ───────────────  as soon as it runs, and again when the page returns from bfcache
 *   hello ─────── window, carries a MessagePort ──────▶  the reply; also sent on the iframe's `load` without an
 *                                                        announcement: either side may start first
 *                 ◀── port: ready ────────────────────  the first screen (or its error) is visible
 *                 ◀── port: step, resize, completed …─  repeated after every new hello, so a re-handshake loses nothing
 *   appearance … ── port ─────────────────────────────▶
 *
 * Every message is one envelope: {channel: "aapd", version: 1, session, id, type, payload}.
 *   session  created by the sender of the first message: the frame's document for `announce`, the host for each
 *            `hello`. Both directions of that port then carry the host's.
 *   id       counts up from 1 within a session and direction. An id that does not rise is a replay.
 *
 * Checks run in this order; data that fails one is dropped silently:
 *   source (the window of the iframe, or of the parent) → shape and version → origin → session → id.
 *
 * The host takes the frame's origin from the URL of the partner's backend; the frame gets its parents' origins from
 * the server. Nothing is ever posted to "*".
 *
 * No message carries a name, RUT, e-mail, document serial or card digit. `completed` is a hint for the page:
 * rely on the webhook and `GET /orders/{hash}`.
 *
 * Version 1 only gains types, fields and values. An unknown type is dropped; an unknown value reaches the page, which
 * may know it.
 */

export const CHANNEL = "aapd";
export const VERSION = 1;

/** Taller than any screen of the checkout, in CSS pixels: a larger height is a fault and refused. */
export const FRAME_HEIGHT_MAX_PX = 20_000;

/** One of the known values, or a value added later. */
type Open<Word extends string> = Word | (string & {});

export type Locale = "es-CL" | "en";

/** The look of the checkout on this page. Each field overrides the provider's setting of the same name. */
export type Appearance = {
  /** `#rrggbb`; ignored below a contrast of 4.5:1 with white text. */
  accent?: string;
  radius?: "none" | "small" | "medium" | "large";
  font?: "system" | "humanist" | "geometric" | "serif";
  /** `auto` (the default) follows the colour scheme that the page itself uses around the checkout. */
  color_scheme?: "light" | "dark" | "auto";
  density?: "comfortable" | "compact";
  /** A field's label: above the field, or inside it until the patient types. */
  labels?: "above" | "inside";
};

/** The patient's position: `index` counts from 1 to `count`. */
export type Step = { name: string; index: number; count: number };

/**
 * The finished payment or sign-up. `order_token` is the order's hash, null after a sign-up. `status` is the order's
 * status when the frame read it, or `registered` after a sign-up. `signed_receipt` (a compact JWS) is verified by the
 * page's backend; null if nothing was paid or the frame is too old to send it.
 */
export type Completion = {
  kind: Open<"onboarding" | "payment">;
  order_token: string | null;
  status: string;
  signed_receipt: string | null;
};

/** An error that the frame shows to the patient. `audience` says who can resolve it. */
export type FrameError = {
  code: string;
  audience: Open<"patient" | "integrator">;
  recoverable: boolean;
  trace_id: string | null;
};

type Empty = Record<string, never>;

export type HostGreeting = { mode: "inline" | "dialog"; locale?: Locale; appearance?: Appearance };

export type FrameMessage =
  | { type: "announce"; payload: Empty }
  | { type: "ready"; payload: Empty }
  | { type: "resize"; payload: { height: number } }
  | { type: "step"; payload: Step }
  | { type: "completed"; payload: Completion }
  | { type: "error"; payload: FrameError }
  /** The token expires in less than five minutes. */
  | { type: "token_expiring"; payload: Empty }
  | { type: "request_token"; payload: Empty }
  /** The frame needs room (a bank's challenge): the host shows it as a modal dialog until `close_dialog`. */
  | { type: "open_dialog"; payload: Empty }
  | { type: "close_dialog"; payload: Empty }
  | { type: "close_requested"; payload: Empty };

export type HostMessage =
  | { type: "hello"; payload: HostGreeting }
  | { type: "appearance"; payload: Appearance }
  | { type: "locale"; payload: { locale: Locale } }
  /** The answer to `request_token`; null if the page has no token. */
  | { type: "token"; payload: { widget_token: string | null } }
  | { type: "host_closing"; payload: Empty };

/**
 * Why the checkout did not load, as far as a page can see across origins.
 *   csp        the page's policy blocks the frame (`frame-src`).
 *   timeout    nothing loaded in time.
 *   not_ready  the frame loaded but sent nothing: it refuses this page's origin, or the service is down.
 *   version    the frame uses a newer version of this protocol.
 */
export type LoadErrorReason = "csp" | "not_ready" | "timeout" | "version";

/** The bare strings that pages written for the service's older integration expect. */
export const LEGACY = {
  formReady: "WIDGET_FORM_READY",
  formMount: "WIDGET_FORM_MOUNT",
  formSuccess: "WIDGET_FORM_SUCCESS",
  paymentSuccess: "WIDGET_PAYMENT_SUCCESS",
  formClose: "WIDGET_FORM_CLOSE",
} as const;

export type Envelope<Message extends FrameMessage | HostMessage> = Message & {
  channel: typeof CHANNEL;
  version: typeof VERSION;
  session: string;
  id: number;
};

/**
 * The result of checking received data: the message as new objects that contain only known fields, or why it was
 * refused.
 */
export type Reading<Message> = { session: string; id: number; message: Message } | "shape" | "version";

/** Why a received message was dropped. */
export type Refusal = "source" | "shape" | "version" | "origin" | "session" | "replay";

/** A copy of the own properties without a prototype: immune to a polluted `Object.prototype` and `__proto__` keys. */
type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null ? { __proto__: null, ...value } : undefined;

/** A machine-readable word, as long as a signature: no spaces, no `@`, no accents, no markup. */
const isWord = (value: unknown): value is string => typeof value === "string" && /^[\w.:-]{1,999}$/.test(value);

const isWordOrNull = (value: unknown): value is string | null => value === null || isWord(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

const isOneOf = <const Choice>(value: unknown, ...choices: Choice[]): value is Choice =>
  choices.includes(value as Choice);

export const isLocale = (value: unknown): value is Locale => isOneOf(value, "es-CL", "en");

const readStep = ({ name, index, count }: Fields): Step | undefined =>
  isWord(name) && isCount(index) && isCount(count) ? { name, index, count } : undefined;

const readHeight = ({ height }: Fields): { height: number } | undefined =>
  typeof height === "number" && height >= 0 && height <= FRAME_HEIGHT_MAX_PX
    ? { height: Math.ceil(height) }
    : undefined;

const readCompletion = ({ kind, order_token, status, signed_receipt = null }: Fields): Completion | undefined =>
  isWord(kind) && isWordOrNull(order_token) && isWord(status) && isWordOrNull(signed_receipt)
    ? { kind, order_token, status, signed_receipt }
    : undefined;

const readError = ({ code, audience, recoverable, trace_id }: Fields): FrameError | undefined =>
  isWord(code) && isWord(audience) && isOneOf(recoverable, true, false) && isWordOrNull(trace_id)
    ? { code, audience, recoverable, trace_id }
    : undefined;

const readNothing = (): Empty => ({});

/**
 * Unlike elsewhere, a bad value only drops its own field, because a wrong style must not cost the page its checkout.
 */
const readAppearance = ({ accent, radius, font, color_scheme, density, labels }: Fields): Appearance => ({
  ...(typeof accent === "string" && /^#[0-9a-f]{6}$/i.test(accent) && { accent }),
  ...(isOneOf(radius, "none", "small", "medium", "large") && { radius }),
  ...(isOneOf(font, "system", "humanist", "geometric", "serif") && { font }),
  ...(isOneOf(color_scheme, "light", "dark", "auto") && { color_scheme }),
  ...(isOneOf(density, "comfortable", "compact") && { density }),
  ...(isOneOf(labels, "above", "inside") && { labels }),
});

const readLocale = ({ locale }: Fields): { locale: Locale } | undefined => (isLocale(locale) ? { locale } : undefined);

const readGreeting = ({ mode, locale, appearance }: Fields): HostGreeting | undefined =>
  isOneOf(mode, "inline", "dialog")
    ? { mode, ...(isLocale(locale) && { locale }), appearance: readAppearance(fieldsOf(appearance) ?? {}) }
    : undefined;

const readToken = ({ widget_token }: Fields): { widget_token: string | null } | undefined =>
  isWordOrNull(widget_token) ? { widget_token } : undefined;

/** One reader per type. The compiler requires a reader for each new type, with its exact payload. */
type Readers<Message extends FrameMessage | HostMessage> = {
  [Type in Message["type"]]: (fields: Fields) => Extract<Message, { type: Type }>["payload"] | undefined;
};

const frameReaders: Readers<FrameMessage> = {
  announce: readNothing,
  ready: readNothing,
  resize: readHeight,
  step: readStep,
  completed: readCompletion,
  error: readError,
  token_expiring: readNothing,
  request_token: readNothing,
  open_dialog: readNothing,
  close_dialog: readNothing,
  close_requested: readNothing,
};

const hostReaders: Readers<HostMessage> = {
  hello: readGreeting,
  appearance: readAppearance,
  locale: readLocale,
  token: readToken,
  host_closing: readNothing,
};

const readEnvelope = <Message extends FrameMessage | HostMessage>(
  data: unknown,
  readers: Readers<Message>,
): Reading<Message> => {
  const envelope = fieldsOf(data);
  const fields = fieldsOf(envelope?.payload);
  if (envelope?.channel !== CHANNEL || !fields) return "shape";
  const { version, session, id, type } = envelope;
  if (version !== VERSION) return "version";
  const payload = isWord(type) && Object.hasOwn(readers, type) && readers[type as Message["type"]](fields);
  // The table's type guarantees that the reader of a type returns the payload of that type.
  return isWord(session) && isCount(id) && payload ? { session, id, message: { type, payload } as Message } : "shape";
};

/** Reads a message from the frame, for the host. */
export const readFromFrame = (data: unknown): Reading<FrameMessage> => readEnvelope(data, frameReaders);

/** Reads a message from the host, for the frame. */
export const readFromHost = (data: unknown): Reading<HostMessage> => readEnvelope(data, hostReaders);

/** Puts a message into its envelope. */
export const enclose = <Message extends FrameMessage | HostMessage>(
  message: Message,
  session: string,
  id: number,
): Envelope<Message> => ({ channel: CHANNEL, version: VERSION, session, id, ...message });

/** A session id: 128 random bits. `crypto.randomUUID` is not available on plain http (development). */
export const newSession = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");
