/** The greeting of the page around, where it came before the checkout's connection was there. */
export interface EarlyHello {
  /** The latest of them; from now on none is kept. */
  readonly take: () => MessageEvent<unknown> | null;
}

/**
 * Keeps what the page around says with a port in hand until the checkout can hear it. The page greets a frame as soon as it
 * has loaded, which is before React has taken over; and a frame that was preloaded may not ask to be greeted again, since it
 * says nothing before it is seen. It is judged like any other once it is taken.
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
