import type { ClassAttributes, HTMLAttributes } from "react";
import type { CheckoutAttributes, CheckoutElement } from "./lib/packages/embed/src/index.js";

/* Types of `<aapd-checkout>` in JSX: `import type {} from "@aapd/embed/jsx"`. */

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "aapd-checkout": CheckoutAttributes &
        Partial<Pick<CheckoutElement, "appearance" | "requestToken">> &
        ClassAttributes<CheckoutElement> &
        HTMLAttributes<CheckoutElement>;
    }
  }
}
