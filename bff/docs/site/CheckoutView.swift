import WebKit

/// The checkout in an iOS app. `url` is what POST /api/spot/widget answered your back end for {native: true}.
final class CheckoutView: WKWebView, WKScriptMessageHandler, WKUIDelegate {
    var onComplete: () -> Void = {}  // a hint: your webhook is the truth
    var onClose: () -> Void = {}  // removes the handler, which holds this view: removeScriptMessageHandler(forName: "aapd")
    /// Asks your back end for another widget_token of the same order.
    var freshToken: () async -> String? = { nil }
    private var sentId = 0
    init(url: URL) {
        super.init(frame: .zero, configuration: WKWebViewConfiguration())
        configuration.userContentController.add(self, name: "aapd")
        uiDelegate = self
        load(URLRequest(url: url))
    }
    required init?(coder: NSCoder) { nil }
    func userContentController(_ controller: WKUserContentController, didReceive message: WKScriptMessage) {
        guard message.frameInfo.isMainFrame, url?.absoluteString.hasPrefix("https://WIDGET_HOST/") == true,
            let text = message.body as? String, let data = text.data(using: .utf8),
            let heard = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let session = heard["session"] as? String, let type = heard["type"] as? String
        else { return }
        if type == "completed" { onComplete() }
        if type == "close_requested" { onClose() }
        if type == "request_token" { Task { await answer(session, await freshToken()) } }
    }
    @MainActor private func answer(_ session: String, _ token: String?) async {
        sentId += 1
        let payload: [String: Any] = ["widget_token": token ?? NSNull()]
        let envelope: [String: Any] = ["channel": "aapd", "version": 1, "session": session, "id": sentId, "type": "token", "payload": payload]
        guard let data = try? JSONSerialization.data(withJSONObject: envelope) else { return }
        _ = try? await callAsyncJavaScript("window.dispatchEvent(new MessageEvent('message', { data: text }))",
            arguments: ["text": String(decoding: data, as: UTF8.self)], contentWorld: .page)
    }
    func webView(_ view: WKWebView, createWebViewWith _: WKWebViewConfiguration, for action: WKNavigationAction, windowFeatures: WKWindowFeatures) -> WKWebView? {
        if let url = action.request.url { UIApplication.shared.open(url) }  // a bank's page opens in the browser
        return nil
    }
}
