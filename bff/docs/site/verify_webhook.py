import hashlib
import hmac


def is_genuine(raw_body: bytes, signature: str, webhook_secret: str) -> bool:
    """Is this webhook ours? `raw_body`: the bytes as they came, before any JSON parser has touched them."""
    expected = "sha256=" + hmac.new(webhook_secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (signature or "").encode())
