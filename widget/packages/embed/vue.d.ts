import type { CheckoutAttributes, CheckoutElement, CheckoutElementEvents } from "./lib/packages/embed/src/index.js";

/* Types of `<aapd-checkout>` in Vue's templates: `import type {} from "@aapd/embed/vue"`. */

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Listeners = {
  [Event in keyof CheckoutElementEvents as `on${Capitalize<Camel<Event>>}`]?: (
    event: CheckoutElementEvents[Event],
  ) => void;
};

declare module "vue" {
  interface GlobalComponents {
    "aapd-checkout": new () => {
      $props: CheckoutAttributes & Partial<Pick<CheckoutElement, "appearance" | "requestToken">> & Listeners;
    };
  }
}
