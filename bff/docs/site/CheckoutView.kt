import android.annotation.SuppressLint
import android.content.Context
import android.webkit.WebView
import androidx.webkit.WebViewCompat
import org.json.JSONObject

/** The checkout in an Android app. `url` is what POST /api/spot/widget answered your back end for {native: true}. */
@SuppressLint("SetJavaScriptEnabled", "ViewConstructor", "RequiresFeature")
class CheckoutView(
    context: Context, url: String,
    private val onComplete: () -> Unit, // a hint: your webhook is the truth
    private val onClose: () -> Unit,
    /** Asks your back end for another widget_token of the same order. */
    private val freshToken: ((String?) -> Unit) -> Unit,
) : WebView(context) {
    private var sentId = 0

    init {
        settings.javaScriptEnabled = true
        // The checkout knows this name too; the listener exists in pages of this origin only.
        WebViewCompat.addWebMessageListener(this, "ReactNativeWebView", setOf("https://WIDGET_HOST")) {
            _, message, _, isMainFrame, _ -> if (isMainFrame) message.data?.let { hear(JSONObject(it)) }
        }
        loadUrl(url)
    }

    private fun hear(envelope: JSONObject) = when (envelope.getString("type")) {
        "completed" -> onComplete()
        "close_requested" -> onClose()
        "request_token" -> freshToken { token -> post { answer(envelope.getString("session"), token) } }
        else -> Unit
    }

    private fun answer(session: String, token: String?) {
        val envelope = JSONObject(mapOf("channel" to "aapd", "version" to 1, "session" to session, "id" to ++sentId,
            "type" to "token", "payload" to mapOf("widget_token" to (token ?: JSONObject.NULL))))
        val data = JSONObject.quote(envelope.toString())
        evaluateJavascript("window.dispatchEvent(new MessageEvent('message', { data: $data }))", null)
    }
}
