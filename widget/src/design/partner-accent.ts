import { type RefObject, useLayoutEffect } from "react";

/** WCAG 2.2, 1.4.3. */
const CONTRAST_MIN = 4.5;

function channel(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Relative luminance of `#rrggbb` as WCAG counts it. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => channel(Number.parseInt(color.slice(at, at + 2), 16)));
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** True when white words can be read on this colour; other accents are not taken. */
export function isReadableAccent(accent: string | undefined): accent is string {
  return accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) && contrast(accent, "#ffffff") >= CONTRAST_MIN;
}

const useBeforePaint = typeof window === "undefined" ? () => undefined : useLayoutEffect;

/** Puts the partner's colour on the frame, by script since the page's policy knows no style attributes. */
export function usePartnerAccent(frame: RefObject<HTMLElement | null>, accent: string | undefined): void {
  useBeforePaint(() => {
    if (isReadableAccent(accent)) frame.current?.style.setProperty("--partner-accent", accent);
    else frame.current?.style.removeProperty("--partner-accent");
  }, [frame, accent]);
}
