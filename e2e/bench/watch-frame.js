/*
 * Runs in every document before its own scripts, and records the frame's events with the machine's time. It calls
 * `tellBench` with the place of the main button as soon as that is painted, and at the end with all records. Polling
 * instead would use the frame's own thread, most of all before the first paint. A separate file, which no compiler
 * changes.
 */
if (window !== window.top) {
  const now = () => performance.timeOrigin + performance.now();
  const seen = {};
  let isTold = false;

  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries()) {
      if (name === "first-contentful-paint") seen.firstPaint = performance.timeOrigin + startTime;
    }
  }).observe({ type: "paint", buffered: true });

  addEventListener(
    "click",
    ({ isTrusted }) => {
      if (isTrusted) seen.firstControl ??= now();
    },
    true,
  );

  let button = null;
  const look = () => {
    button ??= document.querySelector("form button[type=submit]");
    // Measured until it is shown only: each measurement costs a layout, which would delay the scripts.
    const place = isTold ? undefined : button?.getBoundingClientRect();
    // A frame that is not as high as its content yet shows no button below its edge.
    if (place !== undefined && seen.firstPaint !== undefined && place.bottom <= innerHeight) {
      isTold = true;
      window.tellBench({ button: { x: place.left + place.width / 2, y: place.top + place.height / 2 } });
    }
    // React marks the elements that it has taken over. It also removes the button with the first screen.
    const isMarked = (element) => Object.keys(element).some((key) => key.startsWith("__reactProps$"));
    const isTaken = button !== null && (!button.isConnected || isMarked(button));
    if (isTaken) seen.hydrated ??= now();
    if (isTaken && seen.firstControl !== undefined) window.tellBench({ seen });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
