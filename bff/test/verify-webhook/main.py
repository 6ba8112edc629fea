import base64
import sys

from verify_webhook import is_genuine

given = sys.argv[1:]
for body, signature, secret in zip(given[0::3], given[1::3], given[2::3]):
    print("true" if is_genuine(base64.b64decode(body), None if signature == "-" else signature, secret) else "false")
