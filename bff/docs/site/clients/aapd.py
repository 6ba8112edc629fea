"""Client for "Atiendete ahora, paga despues" in one file. Python 3.9 or newer, no packages.

    aapd = Aapd(order_api=ORDER_API, spot_api=SPOT_API, client_secret=CLIENT_SECRET, public_key=PUBLIC_KEY)
    order = aapd.create_order({"reference": "sale-1", "total_amount": 45952, "customer": patient}, "sale-1")
    url = aapd.mint_widget_token({"order_token": order["hash"], "rut": patient["rut"]})["url"]

Wrong arguments raise ValueError before anything is sent. A refusal raises AapdError, a missing answer AapdUnreachable.
Calls are retried after a lost connection, a 429 and a 5xx. Repeat an order or a refund yourself only with the same
idempotency key: pass your own, or take `idempotency_key` of the exception. Each mint with `deliver` sends a mail, so it
is retried only after a 429.
"""

from __future__ import annotations

import base64
import difflib
import functools
import hashlib
import hmac
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

_CUSTOMER = {"rut": {}, "first_name": {}, "last_name": {}, "email": {}, "phone_number": {}}
_USER_DATA = {"name": {}, "surname": {}, "email": {}, "phone_number": {}, "rut": {}}
_PROVIDER_DATA = {"rut": {}, "name": {}, "logo_url": {}, "support_email": {}}
_BANK_ACCOUNT = {"bank": {}, "account_type": {}, "account_number": {}, "holder_name": {}, "holder_rut": {}}

# Method, path, the fields and query of each call, and the fields that every answer to it has.
CALLS = {
    "create_order": {
        "method": "POST",
        "path": "/orders",
        "fields": {
            "reference": {},
            "total_amount": {},
            "customer": _CUSTOMER,
            "provider_rut": {},
            "items": {"description": {}, "quantity": {}, "amount": {}},
        },
        "answer": ["hash", "status"],
    },
    "get_order": {"method": "GET", "path": "/orders/{hash}", "fields": {}, "answer": ["hash", "status"]},
    "refund_order": {
        "method": "PUT",
        "path": "/orders/{hash}/refund",
        "fields": {"amount": {}, "reason": {}, "refund_reference": {}},
        "answer": ["hash", "refund"],
    },
    "list_orders": {
        "method": "GET",
        "path": "/orders",
        "fields": {},
        "query": ["reference", "status", "rut", "created_from", "created_to", "after", "limit"],
        "answer": ["orders"],
    },
    "cancel_order": {"method": "POST", "path": "/orders/{hash}/cancel", "fields": {}, "answer": ["hash", "status"]},
    "list_refunds": {"method": "GET", "path": "/orders/{hash}/refunds", "fields": {}, "answer": ["refunds"]},
    "mint_widget_token": {
        "method": "POST",
        "path": "/api/spot/widget",
        "fields": {
            "order_token": {},
            "rut": {},
            "user_data": _USER_DATA,
            "long_term_token": {},
            "expires_in_minutes": {},
            "provider_data": _PROVIDER_DATA,
            "parent_origin": {},
            "return_url": {},
            "native": {},
            "locale": {},
            "qr": {},
            "deliver": {"email": {}},
        },
        "answer": ["widget_token", "url"],
    },
    "revoke_widget_token": {
        "method": "DELETE",
        "path": "/api/spot/widget/{token}",
        "fields": {},
        "answer": ["status"],
    },
    "submit_receipt": {
        "method": "POST",
        "path": "/api/spot/gastos",
        "fields": {
            "name": {},
            "date": {},
            "receipt_id": {},
            "receipt_rut": {},
            "doctor_rut": {},
            "total": {},
            "expense_subtypes": {},
        },
        "answer": ["id", "status"],
    },
    "list_receipts": {
        "method": "GET",
        "path": "/api/spot/gastos",
        "fields": {},
        "query": ["skip_pay_order_id", "after", "limit"],
        "answer": ["expenses"],
    },
    "read_receipt": {"method": "GET", "path": "/api/spot/gastos/{id}", "fields": {}, "answer": ["id", "status"]},
    "upsert_centers": {
        "method": "POST",
        "path": "/api/spot/sacmed/centers",
        "fields": {"centers": {"rut": {}, "name": {}, "email": {}, "bank_account": _BANK_ACCOUNT}},
        "answer": ["centers"],
    },
    "list_centers": {
        "method": "GET",
        "path": "/api/spot/sacmed/centers",
        "fields": {},
        "query": ["after", "limit"],
        "answer": ["centers"],
    },
}
_KEY_STARTS = {"client_secret": "cs_", "public_key": "PK_", "secret_key": "ak_"}

ATTEMPTS_MAX = 4
TIMEOUT_SECONDS = 15
RECEIPT_TIMEOUT_SECONDS = 60
RETRY_AFTER_SECONDS_MAX = 30
# The service releases its hold on an idempotency key after 30 seconds.
IN_FLIGHT_WAITS_MAX = 7
IN_FLIGHT_WAIT_SECONDS = 5
WEBHOOK_TOLERANCE_SECONDS = 300
WEBHOOK_SECRET_BYTES_MIN = 24


class AapdError(Exception):
    """A refusal. Match on `code`; `request_id` belongs in a support request. The message names the refused fields.

    After a 5xx the call may have taken effect: repeat it with `idempotency_key`, which is None if the call takes none.
    """

    def __init__(self, status, code, request_id, body: dict, message: str, idempotency_key: str | None = None):
        key = f", idempotency key {idempotency_key}" if idempotency_key else ""
        super().__init__(f"{message} ({code or status}, request {request_id or 'unknown'}{key})")
        self.status = status
        self.code = code
        self.request_id = request_id
        self.body = body
        self.idempotency_key = idempotency_key


class AapdUnreachable(Exception):
    """No answer: the call may have taken effect. Repeat it with `idempotency_key`, which is None if it takes none."""

    def __init__(self, message: str, idempotency_key: str | None = None):
        super().__init__(message)
        self.idempotency_key = idempotency_key


class WebhookRefused(Exception):
    """The webhook is not from the service, or is too old. Answer 401."""


class ReceiptRefused(Exception):
    """The signed receipt is not from the service, has expired, is for another order, or was shown before."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would lose its body, or send its secret to another host."""

    def redirect_request(self, *_args):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Aapd:
    """The service's calls for your back end. Only centres and reading receipts need `secret_key`."""

    def __init__(
        self,
        *,
        order_api: str,
        spot_api: str,
        client_secret: str,
        public_key: str,
        secret_key: str | None = None,
        wait=time.sleep,
    ):
        self._order_api = _address("order_api", order_api)
        self._spot_api = _address("spot_api", spot_api)
        self._client_secret = _header("client_secret", client_secret)
        self._public_key = _text("public_key", public_key)
        self._secret_key = None if secret_key is None else _header("secret_key", secret_key)
        self._wait = wait

    def create_order(self, order: dict, idempotency_key: str | None = None) -> dict:
        """Pass your own id of the sale as the key: a repeat after a crash then returns the same order."""
        return self._order_call("create_order", "", order, idempotency_key)

    def get_order(self, order_hash: str) -> dict:
        return self._order_call("get_order", order_hash, None, None)

    def list_orders(self, filters: dict | None = None) -> dict:
        """One page of `orders`, newest first. For the next one, pass `next` as `after`, until it is None.

        Filters: `reference`, `status`, `rut`, `created_from` and `created_to` (days in Chile, included), `limit`.
        """
        return self._send("list_orders", self._order_api, headers=self._bearer(), query=filters or {})

    def cancel_order(self, order_hash: str, idempotency_key: str | None = None) -> dict:
        """Cancels an order that is not paid. A paid one is refunded instead."""
        return self._order_call("cancel_order", order_hash, {}, idempotency_key)

    def list_refunds(self, order_hash: str) -> dict:
        """All `refunds` of an order, also failed ones."""
        return self._order_call("list_refunds", order_hash, None, None)

    def refund_order(self, order_hash: str, refund: dict | None = None, idempotency_key: str | None = None) -> dict:
        """Refunds everything, or `amount` pesos."""
        return self._order_call("refund_order", order_hash, refund or {}, idempotency_key)

    def mint_widget_token(self, request: dict) -> dict:
        """Give your page the `url` of the answer, and nothing else. With `deliver`, each call mails another link."""
        if "order_token" in request:
            _text('mint_widget_token: "order_token"', request["order_token"])
        query = {"public_key": self._public_key}
        # The service then does not limit minting by address.
        headers = self._bearer()
        return self._send("mint_widget_token", self._spot_api, auth=query, headers=headers, value=request)

    def revoke_widget_token(self, widget_token: str) -> dict:
        """Ends a token that you minted. A repeat changes nothing; an open checkout can still be paid."""
        return self._send("revoke_widget_token", self._spot_api, headers=self._bearer(), part=widget_token)

    def submit_receipt(
        self,
        *,
        rut: str,
        order_hash: str,
        files: list,
        fields: dict | None = None,
        idempotency_key: str | None = None,
    ) -> dict:
        """`files`: (name, bytes, content type) of the receipt, then of documents such as the medical order."""
        _text("submit_receipt: rut", rut)
        _text("submit_receipt: order_hash", order_hash)
        if not files:
            raise ValueError("submit_receipt: files is empty. Pass the receipt: [(name, bytes, content_type)].")
        for file in files:
            if [type(part) for part in file] != [str, bytes, str]:
                raise ValueError("submit_receipt: each of files must be (name, bytes, content_type).")
        _known_fields("submit_receipt", fields or {}, CALLS["submit_receipt"]["fields"])
        content_type, form = _form({**(fields or {}), "skip_pay_order_id": order_hash}, files)
        query = {"public_key": self._public_key, "rut": rut}
        headers = {"Content-Type": content_type, **_idempotency("submit_receipt", idempotency_key)}
        return self._send(
            "submit_receipt",
            self._spot_api,
            auth=query,
            headers=headers,
            body=form,
            timeout=RECEIPT_TIMEOUT_SECONDS,
        )

    def list_receipts(self, filters: dict | None = None) -> dict:
        """One page of your `expenses`, newest first. For the next one, pass `next` as `after`, until it is None.

        Filters: `skip_pay_order_id` (an order's hash), `limit`.
        """
        headers = self._secret("list_receipts")
        return self._send("list_receipts", self._spot_api, headers=headers, query=filters or {})

    def read_receipt(self, expense_id: str) -> dict:
        """A submitted receipt by its `id`, with its present status and `missing_document_types`."""
        return self._send("read_receipt", self._spot_api, headers=self._secret("read_receipt"), part=expense_id)

    def upsert_centers(self, centers: list) -> dict:
        """Creates or changes sub-clinics of a meta-provider by RUT, all or none."""
        query = {"public_key": self._public_key}
        headers = self._secret("upsert_centers")
        return self._send("upsert_centers", self._spot_api, auth=query, headers=headers, value={"centers": centers})

    def list_centers(self, page: dict | None = None) -> dict:
        """One page of your sub-clinics by RUT. For the next one, pass `next` as `after`, until it is None."""
        headers = self._secret("list_centers")
        return self._send("list_centers", self._spot_api, headers=headers, query=page or {})

    def _order_call(self, call: str, order_hash: str, value: dict | None, idempotency_key: str | None) -> dict:
        headers = self._bearer()
        if value is not None:
            headers.update(_idempotency(call, idempotency_key))
        return self._send(call, self._order_api, part=order_hash, headers=headers, value=value)

    def _bearer(self) -> dict:
        return {"Authorization": f"Bearer {self._client_secret}"}

    def _secret(self, call: str) -> dict:
        if self._secret_key is None:
            raise ValueError(f"{call} needs a secret_key: pass it to Aapd(...).")
        return {"X-Secret-Key": self._secret_key}

    def _send(self, call, base, *, headers, part="", auth=None, query=None, value=None, body=None, timeout=None):
        """`part` replaces the variable of the path. `auth` and `query` are parameters; the caller gives `query`."""
        path = re.sub(r"\{(\w+)\}", lambda found: _path_part(f"{call}: {found[1]}", part), CALLS[call]["path"])
        keys = [name for name, sent in _keys_of(headers, auth or {}).items() if sent]
        if value is not None:
            _known_fields(call, value, CALLS[call]["fields"])
            headers = {**headers, "Content-Type": "application/json"}
            body = json.dumps(value).encode()
        query = {**(auth or {}), **_known_query(call, query or {})}
        url = base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        request = urllib.request.Request(url, data=body, headers=headers, method=CALLS[call]["method"])
        send = functools.partial(_attempt, request, timeout or TIMEOUT_SECONDS)
        return self._retried(call, request, send, keys, headers.get("Idempotency-Key"), "deliver" in (value or {}))

    def _retried(self, call: str, request, send, keys: list, key: str | None, once: bool) -> dict:
        # Without the value in the path, which may be a widget token.
        what, repeat = f"{request.get_method()} {CALLS[call]['path']}", _repeat(key, once)
        attempt, in_flight_waits, may_be_done = 1, 0, False
        while True:
            status, headers, answer, cause = send()
            if status is not None and 200 <= status < 300 and all(name in answer for name in CALLS[call]["answer"]):
                return answer
            delay = min(10.0, 0.5 * 2 ** (attempt - 1))
            if status is None or status < 300:
                may_be_done = True
                if once or attempt >= ATTEMPTS_MAX:
                    raise AapdUnreachable(f"{what} was not answered: {cause}. It may have taken effect. {repeat}", key)
            else:
                error = _error(status, headers, answer, request.full_url, keys, key, repeat)
                if error.code == "idempotency_in_flight":
                    if in_flight_waits >= IN_FLIGHT_WAITS_MAX:
                        raise AapdUnreachable(f"{what}: an earlier try is still running. {repeat}", key) from error
                    in_flight_waits, may_be_done = in_flight_waits + 1, True
                    self._wait(IN_FLIGHT_WAIT_SECONDS)
                    continue
                requested = _seconds(headers.get("Retry-After"))
                is_final = attempt >= ATTEMPTS_MAX or requested > RETRY_AFTER_SECONDS_MAX
                if is_final or not (status == 429 or (status >= 500 and not once)):
                    # Decided before the request was processed: it says nothing about an earlier attempt.
                    if may_be_done and status in (401, 403, 429):
                        raise AapdUnreachable(f"{what} may have taken effect earlier: {error} {repeat}", key) from error
                    raise error
                may_be_done = may_be_done or status >= 500
                delay = max(delay, requested)
            attempt += 1
            self._wait(delay)


def _attempt(request, timeout: float):
    """Status, headers and JSON object of an answer, empty if it has none, and why."""
    try:
        try:
            with _opener.open(request, timeout=timeout) as response:
                status, headers, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as response:
            with response:
                status, headers, text = response.code, response.headers, response.read()
    except (OSError, http.client.HTTPException) as cause:
        return None, {}, {}, str(cause)
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    host = urllib.parse.urlsplit(request.full_url).netloc
    cause = f"the answer is not from the service; check that {host} is its address"
    return status, headers, answer if isinstance(answer, dict) else {}, cause


def _error(status: int, headers, body: dict, url: str, keys: list, key: str | None, repeat: str) -> AapdError:
    detail, code, errors = body.get("detail"), body.get("code"), body.get("errors")
    if isinstance(detail, dict):
        code, detail = code or detail.get("error_code"), detail.get("message")
    code = code if isinstance(code, str) else None
    message = detail if isinstance(detail, str) and detail else f"The service answered {status}."
    found = [issue for issue in errors if isinstance(issue, dict)] if isinstance(errors, list) else []
    if found:
        message += " (" + "; ".join(f"{issue.get('path')}: {issue.get('message')}" for issue in found) + ")"
    parts = urllib.parse.urlsplit(url)
    advice = _advice(status, code, f"{parts.scheme}://{parts.netloc}", keys, repeat)
    return AapdError(status, code, headers.get("X-Request-Id"), body, f"{message} {advice}".strip(), key)


def _idempotency(call: str, key: str | None) -> dict:
    return {"Idempotency-Key": _header(f"{call}: idempotency_key", str(uuid.uuid4()) if key is None else key)}


def _repeat(key: str | None, once: bool) -> str:
    if once:
        return "The mail may have been sent: to get a link without another mail, mint without deliver."
    return f"Repeat it with the same idempotency key, {key}." if key else "Repeat the call: it is safe."


def _keys_of(headers: dict, auth: dict) -> dict:
    """Which of the keys a call sends."""
    return {
        "client_secret": "Authorization" in headers,
        "public_key": "public_key" in auth,
        "secret_key": "X-Secret-Key" in headers,
    }


def _advice(status: int, code: str | None, host: str, keys: list, repeat: str) -> str:
    if status == 401 and len(keys) == 1:
        return f"Check {keys[0]}: it begins with {_KEY_STARTS[keys[0]]} and belongs to the environment of {host}."
    if status == 401:
        return f"Check {' and '.join(sorted(keys, reverse=True))}: both belong to the environment of {host}."
    if code == "beneficiary_not_found":
        return "Submit the receipt after order.paid: the checkout registers the patient."
    if code == "duplicate_reference":
        return "Use one reference for each attempt, or repeat the first call with its idempotency key."
    if status >= 500:
        return f"{repeat} If it fails for five minutes, send support the request id."
    if 300 <= status < 400:
        return f"Use the address of the service itself instead of {host}."
    return "" if code else f"Check that {host} is the address of the service."


def _path_part(what: str, value) -> str:
    return urllib.parse.quote(_text(what, value), safe="")


def _known_query(call: str, query: dict) -> dict:
    """The query's parameters. A first page may have `after: None`; another None would list more than was meant."""
    known = CALLS[call].get("query", [])
    _known_fields(call, query, {name: {} for name in known})
    for name, value in query.items():
        if value is None and name != "after":
            raise ValueError(f'{call}: "{name}" is None. Leave it out if you want all.')
    return {name: value for name, value in query.items() if value is not None}


def verify_webhook(raw_body: bytes, headers, webhook_secret: str, now: float | None = None) -> dict | None:
    """The event of a webhook, from the bytes as received and all headers of the request. Raises WebhookRefused.

    None is a test of the endpoint, about no order: answer 2xx. Process an `event_id` once.
    """
    _text("verify_webhook: webhook_secret", webhook_secret)
    if not isinstance(raw_body, bytes):
        raise ValueError("verify_webhook: pass the body as bytes, before any parser (Flask: request.get_data()).")
    key = _webhook_key(webhook_secret)
    given = {str(name).lower(): value for name, value in dict(headers).items()}
    message_id, sent_at = given.get("webhook-id"), given.get("webhook-timestamp")
    signatures = given.get("webhook-signature")
    if not (message_id and sent_at and signatures):
        raise WebhookRefused("webhook-id, webhook-timestamp or webhook-signature is missing: pass all headers")
    signed = f"{message_id}.{sent_at}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    if not any(hmac.compare_digest(one.encode(), expected) for one in signatures.split(" ")):
        raise WebhookRefused("the signature does not match: check WEBHOOK_SECRET, and pass the bytes as received")
    if not sent_at.isascii() or not sent_at.isdigit():
        raise WebhookRefused("webhook-timestamp is not a time")
    if abs((time.time() if now is None else now) - int(sent_at)) > WEBHOOK_TOLERANCE_SECONDS:
        raise WebhookRefused("the webhook was sent more than five minutes ago, or this machine's clock is wrong")
    event = json.loads(raw_body)
    return event if isinstance(event, dict) and isinstance(event.get("order_hash"), str) else None


def _webhook_key(webhook_secret: str) -> bytes:
    """An empty or short key can be guessed."""
    try:
        key = base64.b64decode(webhook_secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        key = b""
    if len(key) < WEBHOOK_SECRET_BYTES_MIN:
        raise ValueError("verify_webhook: webhook_secret must begin with whsec_ and be complete.")
    return key


def check_receipt(
    signed_receipt: str, *, order_api: str, provider_id: str, order_hash: str, remember, now: float | None = None
) -> dict:
    """The claims of the `signed_receipt` that your page received. Raises ReceiptRefused, or OSError without the keys.

    `remember(jti)` is yours: it stores the id, and returns False if it was stored before.
    """
    parts = signed_receipt.split(".")
    if len(parts) != 3:
        raise ReceiptRefused("this is not a signed receipt")
    try:
        header, claims = (json.loads(_base64url(part)) for part in parts[:2])
        signature = _base64url(parts[2])
        algorithm, key_id, jti = header["alg"], header["kid"], claims["jti"]
    except (ValueError, KeyError, TypeError):
        raise ReceiptRefused("this is not a signed receipt") from None
    key = _receipt_key(f"{_address('order_api', order_api)}/.well-known/jwks.json", key_id)
    signed = ".".join(parts[:2]).encode()
    if algorithm != "EdDSA" or not _is_signed(key, signed, signature):
        raise ReceiptRefused("the receipt was not signed by the service")
    expected = {"iss": order_api.rstrip("/"), "aud": provider_id, "sub": order_hash}
    for name, value in expected.items():
        if claims.get(name) != value:
            raise ReceiptRefused(f"the receipt is for another {name}: {claims.get(name)}")
    if not claims.get("exp", 0) > (time.time() if now is None else now):
        raise ReceiptRefused("the receipt has expired")
    if not remember(jti):
        raise ReceiptRefused("this receipt was shown before")
    return claims


def _receipt_key(url: str, key_id) -> bytes:
    """Empty if the service has no such key."""
    status, _, answer, cause = _attempt(urllib.request.Request(url), TIMEOUT_SECONDS)
    keys = answer.get("keys")
    if status != 200 or not isinstance(keys, list):
        raise OSError(f"the service's keys at {url} were not answered: {cause}")
    for key in keys:
        if isinstance(key, dict) and key.get("kid") == key_id and key.get("crv") == "Ed25519":
            return _base64url(str(key.get("x")))
    return b""


def _known_fields(call: str, value, known: dict, path: str = "") -> None:
    if isinstance(value, list):
        for item in value:
            _known_fields(call, item, known, path)
    elif isinstance(value, dict) and (known or path == ""):
        for name, inner in value.items():
            if name not in known:
                near = difflib.get_close_matches(str(name), known, 1, 0.7)
                advice = f'Did you mean "{near[0]}"?' if near else f"Known fields: {', '.join(known)}."
                raise ValueError(f'{call}: there is no field "{path}{name}". {advice}')
            _known_fields(call, inner, known[name], f"{path}{name}.")


def _text(what: str, value) -> str:
    if not isinstance(value, str) or value.strip() == "":
        raise ValueError(f"{what} must be a text, but is {'empty' if value == '' else type(value).__name__}.")
    return value


def _header(what: str, value) -> str:
    """The message leaves the value out: it may be a secret."""
    if re.fullmatch("[!-~](?:[ -~]*[!-~])?", _text(what, value)) is None:
        raise ValueError(f"{what} must be printable ASCII without a line break or spaces around it.")
    return value


def _address(name: str, value: str) -> str:
    """http:// would send the secret and the patient's data unencrypted, so it is for this machine only."""
    parts = re.fullmatch(r"(https?)://(\[[\da-fA-F:]+\]|[^\s/?#@\\:\[\]]+)(:\d+)?(/[^\s?#\\]*)?", _text(name, value))
    if parts is None or (parts[1] == "http" and parts[2] not in ("localhost", "127.0.0.1", "[::1]")):
        raise ValueError(f"{name} must be an address that begins with https://. http:// is only for localhost.")
    return value.rstrip("/")


def _form(fields: dict, files: list) -> tuple[str, bytes]:
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in fields.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                parts.append((f'Content-Disposition: form-data; name="{name}"', str(one).encode()))
    for file_name, content, content_type in files:
        escaped = file_name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
        disposition = f'Content-Disposition: form-data; name="uploaded_files"; filename="{escaped}"'
        parts.append((f"{disposition}\r\nContent-Type: {content_type}", content))
    body = b"".join(
        f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n" for head, content in parts
    )
    return f"multipart/form-data; boundary={boundary}", body + f"--{boundary}--\r\n".encode()


def _seconds(retry_after: str | None) -> float:
    return float(retry_after) if retry_after and re.fullmatch("[0-9]{1,9}", retry_after) else 0.0


def _base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Ed25519 (RFC 8032), verification only. Python has none; it handles no secret, so its timing reveals nothing.
_P = 2**255 - 19
_Q = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_I = pow(2, (_P - 1) // 4, _P)


def _point(data: bytes):
    """A point in extended coordinates; None if these bytes encode none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _I % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return x, y, 1, x * y % _P


def _add(one, other):
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c = 2 * one[3] * other[3] * _D % _P
    d = 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(factor: int, point):
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = _add(total, point)
        point, factor = _add(point, point), factor >> 1
    return total


_BASE = _point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))


def _is_signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    if len(public_key) != 32 or len(signature) != 64:
        return False
    key, r = _point(public_key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= _Q:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % _Q
    left, right = _times(s, _BASE), _add(r, _times(k, key))
    same = (left[0] * right[2] - right[0] * left[2]) % _P, (left[1] * right[2] - right[1] * left[2]) % _P
    return same == (0, 0)
