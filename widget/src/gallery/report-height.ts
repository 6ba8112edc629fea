/** Reports the state's height to the page around, if it is of this origin, so that it can show all of the state. */
export function reportHeight(origin: string): void {
  const report = (): void => {
    window.parent.postMessage({ galleryHeight: Math.ceil(document.body.getBoundingClientRect().height) }, origin);
  };
  new ResizeObserver(report).observe(document.body);
}
