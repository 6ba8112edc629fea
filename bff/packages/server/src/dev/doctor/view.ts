import { type Finding, fine, mistake, warning } from "./finding.ts";

/** A frame of the checkout as a browser shows it, in CSS pixels. */
export interface SeenFrame {
  readonly token: string | null;
  /** The attribute; null without one. */
  readonly sandbox: string | null;
  readonly width: number;
  readonly height: number;
  /** The element that hides it: the frame itself, or one around it. */
  readonly hiddenBy: string | null;
  readonly clippedBy: string | null;
  readonly visibleHeight: number;
  readonly visibleWidth: number;
  /** The state of the kit around it; null without the kit. */
  readonly state: string | null;
}
export interface SeenView {
  readonly frames: readonly SeenFrame[];
  readonly framesRemoved: number;
  /** Whether a checkout's frame has sent a message to the page's window, as it does without the kit. */
  readonly announced: boolean;
  /** The page's refused requests, then what the browser reports. */
  readonly errors: readonly string[];
  readonly isReact: boolean;
}
/** The status of `GET /api/spot/widget/{token}`; null without an answer. */
export type TokenStatus = (token: string) => Promise<number | null>;

/** The kit knows each of its frames. Without the kit, the frame's first message counts. */
export function isStarted({ frames, announced }: SeenView): boolean {
  return frames.length > 0 && frames.every(({ state }) => (state === null ? announced : state === "ready"));
}

/** Below this width the checkout's own layout no longer fits. */
const WIDTH_MIN = 280;

/** Judges what a patient sees of the checkout. */
export async function judgeView(view: SeenView, statusOf: TokenStatus): Promise<Finding[]> {
  const { frames } = view;
  if (frames.length === 0) return [noFrame(view)];
  const tokens = new Set(frames.map(({ token }) => token));
  const findings = [
    ...(frames.length > 1
      ? [
          mistake(
            "mounted_twice",
            `The page has ${frames.length} frames of the checkout${tokens.size < frames.length ? ", of one url" : ""}: each ends the other's session.`,
            "Mount it once: one element, one call of mountCheckout, or one <aapd-checkout>.",
          ),
        ]
      : []),
    ...frames.flatMap(judgeFrame),
  ];
  for (const token of tokens) findings.push(...(token === null ? [NO_TOKEN] : judgeToken(await statusOf(token))));
  if (findings.some(({ verdict }) => verdict === "mistake")) return findings;
  const [{ width, height } = { width: 0, height: 0 }] = frames;
  return [
    ...findings,
    isStarted(view)
      ? fine("frame_ready", `The checkout shows its first screen, ${width} × ${height} pixels.`)
      : mistake(
          "frame_not_ready",
          `The checkout's frame loads but does not start.${heard(view)}`,
          "Take out what keeps its scripts from running: headers such as Cross-Origin-Embedder-Policy, a sandbox, a blocker.",
        ),
  ];
}

const NO_TOKEN = mistake(
  "frame_without_token",
  "The frame's address has no widget_token.",
  "Give it the url that POST /api/spot/widget answered, unchanged.",
);

function noFrame(view: SeenView): Finding {
  if (view.framesRemoved > 0)
    return mistake(
      "frame_removed",
      "The page mounts the checkout and takes it away again.",
      view.isReact
        ? "Use AapdCheckout of @aapd/react, or pass the effect's AbortSignal to mountCheckout: StrictMode runs effects twice."
        : "Keep the element that mountCheckout was given in the page.",
    );
  return mistake(
    "frame_missing",
    `No checkout appears on the page.${heard(view)}`,
    'mountCheckout(element, { url }), with the url that your backend answers. If a button opens it, name the button: --click "SELECTOR".',
  );
}

function heard({ errors: [first] }: SeenView): string {
  return first === undefined ? "" : ` The browser reports: ${first}`;
}

function judgeFrame(frame: SeenFrame): Finding[] {
  const { sandbox, hiddenBy, clippedBy, width, height } = frame;
  const allowed = (sandbox ?? "").toLowerCase().split(/\s+/);
  const wanted = ["allow-scripts", "allow-same-origin", "allow-forms", "allow-popups"];
  const lacking = sandbox === null ? [] : wanted.filter((one) => !allowed.includes(one));
  if (lacking.length > 0)
    return [
      mistake(
        "frame_sandbox",
        `The frame's sandbox forbids what the checkout needs: ${lacking.join(", ")}.`,
        "Remove the attribute sandbox from the iframe.",
      ),
    ];
  if (hiddenBy !== null || width === 0 || height === 0)
    return [
      mistake(
        "frame_hidden",
        `The checkout is on the page but hidden${hiddenBy === null ? ": it has no size" : ` by ${hiddenBy}`}.`,
        `Take display: none, visibility: hidden or opacity: 0 from ${hiddenBy ?? "the elements around it"}.`,
      ),
    ];
  if (clippedBy !== null)
    return [
      mistake(
        "frame_clipped",
        `${clippedBy} shows ${frame.visibleWidth} × ${frame.visibleHeight} of the checkout's ${width} × ${height} pixels.`,
        `Take overflow: hidden or the fixed size from ${clippedBy}: the frame grows with its content.`,
      ),
    ];
  if (width < WIDTH_MIN)
    return [
      warning(
        "frame_narrow",
        `The checkout is ${width} pixels wide; it needs ${WIDTH_MIN}.`,
        `Give its element a width of ${WIDTH_MIN} pixels or more.`,
      ),
    ];
  return [];
}

function judgeToken(status: number | null): Finding[] {
  if (status === 410)
    return [
      mistake(
        "token_expired",
        "The link of the checkout has expired.",
        "Mint a new token when the page is opened (mintWidgetToken), and pass requestToken to mountCheckout.",
      ),
    ];
  if (status === 404)
    return [
      mistake(
        "token_unknown",
        "The service does not know the link of the checkout.",
        "Give the page the url that POST /api/spot/widget answered now, of this environment, unchanged.",
      ),
    ];
  return [];
}
