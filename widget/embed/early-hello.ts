/** The `hello` of the embedding page that arrived before the checkout's connection existed. */
export interface EarlyHello {
  /** Returns the latest one. From now on, none is kept. */
  readonly take: () => MessageEvent<unknown> | null;
}

/**
 * Keeps the embedding page's `hello` until the checkout listens. The page sends it on the frame's `load`, which may be
 * before React hydrates. A preloaded frame cannot request another one, because it sends nothing until it is visible.
 * The kept message is validated like any other.
 */
export function keepEarlyHello(
  window: Pick<Window, "parent" | "addEventListener" | "removeEventListener">,
): EarlyHello {
  let latest: MessageEvent<unknown> | null = null;
  function keep(event: MessageEvent<unknown>): void {
    if (event.source === window.parent && event.ports.length > 0) latest = event;
  }
  window.addEventListener("message", keep);
  return {
    take: () => {
      window.removeEventListener("message", keep);
      const taken = latest;
      latest = null;
      return taken;
    },
  };
}
