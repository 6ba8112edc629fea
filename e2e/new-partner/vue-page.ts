import type {} from "@aapd/embed/vue";
import type { GlobalComponents } from "vue";

type Props = InstanceType<GlobalComponents["aapd-checkout"]>["$props"];

export const props: Props = {
  url: "https://widget.example",
  mode: "inline",
  onAapdComplete: (event) => event.detail.kind,
};
// @ts-expect-error: there is no such mode
export const wrong: Props = { mode: "popup" };
