/** Reports the state's height to the embedding page, if it has this origin, so that it can show the whole state. */
export function reportHeight(origin: string): void {
  const report = (): void => {
    window.parent.postMessage({ galleryHeight: Math.ceil(document.body.getBoundingClientRect().height) }, origin);
  };
  new ResizeObserver(report).observe(document.body);
}
