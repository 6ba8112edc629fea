import { type RefObject, useLayoutEffect } from "react";
import { isReadableAccent, liftAccent } from "../../embed/accent.ts";

const useBeforePaint = typeof window === "undefined" ? () => undefined : useLayoutEffect;

/**
 * Sets the partner's colour on the root element: the first readable one of `accents`, or none. Uses a script, because
 * the page's policy forbids style attributes.
 */
export function usePartnerAccent(
  frame: RefObject<HTMLElement | null>,
  ...accents: readonly (string | undefined)[]
): void {
  const accent = accents.find(isReadableAccent);
  useBeforePaint(() => {
    const style = frame.current?.style;
    // An empty value removes the property.
    style?.setProperty("--partner-accent", accent ?? "");
    style?.setProperty("--partner-accent-dark", accent === undefined ? "" : liftAccent(accent));
  }, [frame, accent]);
}
