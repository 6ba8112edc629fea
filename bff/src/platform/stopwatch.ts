/** Counts real seconds from now on, for metrics: a moved clock tells nothing of how long something takes. */
export function stopwatch(): () => number {
  const begun = performance.now();
  return () => (performance.now() - begun) / 1_000;
}
