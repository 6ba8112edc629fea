/** Drawn on a grid of 20. Strokes have the text's colour. */
const PATHS = {
  lock: "M6 9V6.5a4 4 0 0 1 8 0V9M5 9h10v8H5z",
  alert: "M10 2.5 18.5 17h-17zM10 8v4M10 14.4v.1",
  clock: "M10 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM10 5.5V10l3 2",
  check: "M10 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM6.5 10.2l2.4 2.4 4.6-5",
  info: "M10 2a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM10 9v5M10 6.2v.1",
  back: "M12 4l-6 6 6 6",
  shield: "M10 2l6.5 2.4V9c0 4-2.6 7-6.5 9-3.9-2-6.5-5-6.5-9V4.4zM7.2 9.8l2 2 3.6-3.9",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only. The adjacent text always carries the meaning. */
export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
