"""Runs the calls of standard input with the client, and prints each one's outcome."""

import base64
import json
import sys

import aapd

given = json.load(sys.stdin)
waits = []
seen = set()


def remember(jti):
    is_new = jti not in seen
    seen.add(jti)
    return is_new


def run(call, args):
    if call == "calls":
        return aapd.CALLS
    if call == "verify_webhook":
        return aapd.verify_webhook(**{**args, "raw_body": base64.b64decode(args["raw_body"])})
    if call == "check_receipt":
        return aapd.check_receipt(**args, remember=remember)
    if call == "submit_receipt":
        files = [(name, base64.b64decode(content), kind) for name, content, kind in args["files"]]
        args = {**args, "files": files}
    return getattr(aapd.Aapd(**given["options"], wait=waits.append), call)(**args)


outcomes = []
for call, args in given["calls"]:
    try:
        outcomes.append({"answer": run(call, args)})
    except Exception as error:
        facts = {name: getattr(error, name, None) for name in ("status", "code", "request_id", "idempotency_key")}
        outcomes.append({"error": {"type": type(error).__name__, "message": str(error), **facts}})
print(json.dumps({"outcomes": outcomes, "waits": waits}))
