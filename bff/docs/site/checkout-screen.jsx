import { useRef } from "react";
import { Linking } from "react-native";
import { WebView } from "react-native-webview";

const WIDGET_HOST = "https://WIDGET_HOST";

/**
 * The checkout in a React Native app. `url` is what POST /api/spot/widget answered your back end for {native: true};
 * `freshToken` asks your back end for another widget_token of the same order.
 */
export function CheckoutScreen({ url, freshToken, onComplete, onClose }) {
  const view = useRef(null);
  const sentId = useRef(0);

  const say = (session, type, payload) => {
    sentId.current += 1;
    const envelope = { channel: "aapd", version: 1, session, id: sentId.current, type, payload };
    const data = JSON.stringify(JSON.stringify(envelope));
    view.current.injectJavaScript(`window.dispatchEvent(new MessageEvent("message", { data: ${data} })); true;`);
  };

  const hear = async ({ nativeEvent }) => {
    if (!nativeEvent.url.startsWith(`${WIDGET_HOST}/`)) return;
    const { session, type, payload } = JSON.parse(nativeEvent.data);
    if (type === "completed") onComplete(payload); // a hint: your webhook is the truth
    if (type === "close_requested") onClose();
    if (type === "request_token") say(session, "token", { widget_token: await freshToken() });
  };

  // A page that opens in a new window, such as a bank's, opens in the patient's browser.
  return (
    <WebView
      ref={view}
      source={{ uri: url }}
      onMessage={hear}
      onOpenWindow={({ nativeEvent }) => Linking.openURL(nativeEvent.targetUrl)}
    />
  );
}
