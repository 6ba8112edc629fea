"""python3 -m unittest: the routes, with the sandbox. In the browser, see README.md."""

import base64
import hashlib
import hmac
import json
import os
import time
import unittest
import urllib.request
from unittest.mock import patch

import app


def signed(event, secret):
    body = json.dumps(event).encode()
    sent_at = str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{event['event_id']}.{sent_at}.".encode() + body, hashlib.sha256).digest()
    headers = {
        "webhook-id": event["event_id"],
        "webhook-timestamp": sent_at,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }
    return {"data": body, "headers": headers}


class Clinic(unittest.TestCase):
    def setUp(self):
        self.client = app.app.test_client()
        self.sale = self.client.post("/sales", json={"rut": "40.100.000-3"}).json["id"]
        self.event = {"event_id": "e1", "event": "order.paid", "order_hash": "h", "reference": self.sale}

    def test_a_sale_gets_a_checkout(self):
        url = self.client.post(f"/sales/{self.sale}/checkout").json["url"]
        with urllib.request.urlopen(url) as answer:
            self.assertEqual(answer.status, 200)

    def test_a_forged_webhook_is_refused(self):
        forged = signed(self.event, "whsec_" + base64.b64encode(b"x" * 32).decode())
        self.assertEqual(self.client.post("/webhooks", **forged).status_code, 401)
        self.assertEqual(self.client.get(f"/sales/{self.sale}").json["status"], "pending")

    def test_a_paid_order_gets_its_receipt(self):
        genuine = signed(self.event, os.environ["WEBHOOK_SECRET"])
        with patch.object(app.Aapd, "submit_receipt", return_value={"status": "queued"}) as submit:
            self.assertEqual(self.client.post("/webhooks", **genuine).status_code, 204)
        self.assertEqual(submit.call_args.kwargs["order_hash"], "h")
        self.assertEqual(self.client.get(f"/sales/{self.sale}").json, {"status": "paid", "receipt": "queued"})

    def test_a_wrong_rut_is_named(self):
        wrong = self.client.post("/sales", json={"rut": "11.111.111-2"}).json["id"]
        self.assertEqual(self.client.post(f"/sales/{wrong}/checkout").status_code, 422)
