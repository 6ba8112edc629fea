"""A clinic in Flask: its sales, their checkouts, webhooks and receipts."""

import os
import uuid
from pathlib import Path

from dotenv import load_dotenv
from flask import Flask, abort, request

from aapd import Aapd, AapdError, WebhookRefused, verify_webhook

load_dotenv()
ENV = os.environ
aapd = Aapd(
    order_api=ENV["ORDER_API"],
    spot_api=ENV["SPOT_API"],
    client_secret=ENV["CLIENT_SECRET"],
    public_key=ENV["PUBLIC_KEY"],
)
app = Flask(__name__, static_folder="public", static_url_path="")

# Use your database instead.
sales: dict = {}


@app.after_request
def add_policy(response):
    host = ENV["WIDGET_HOST"]
    response.headers["Content-Security-Policy"] = f"default-src 'self'; script-src 'self' {host}; frame-src {host}"
    return response


@app.get("/")
def page():
    return app.send_static_file("index.html")


@app.post("/sales")
def open_sale():
    """Opens a sale for a patient. Your own program knows who the patient is."""
    sale_id = str(uuid.uuid4())
    sales[sale_id] = {"rut": request.get_json()["rut"], "status": "pending", "receipt": None}
    return {"id": sale_id}


@app.get("/sales/<sale_id>")
def read_sale(sale_id):
    sale = sales.get(sale_id) or abort(404)
    return {"status": sale["status"], "receipt": sale["receipt"]}


@app.post("/sales/<sale_id>/checkout")
def start_checkout(sale_id):
    """The address of the sale's checkout. Each call mints a fresh one; the order is created once, by the sale's id."""
    rut = (sales.get(sale_id) or abort(404))["rut"]
    customer = {
        "rut": rut,
        "first_name": "Camila",
        "last_name": "Rojas Fuentes",
        "email": "camila@example.com",
        "phone_number": "+56912345678",
    }
    order = aapd.create_order({"reference": sale_id, "total_amount": 45_952, "customer": customer}, sale_id)
    return {"url": aapd.mint_widget_token({"order_token": order["hash"], "rut": rut})["url"]}


@app.post("/webhooks")
def receive_webhook():
    """After order.paid it submits the receipt. If that fails, the answer is 500, and the webhook comes again.

    A repeated event changes nothing: an order has one receipt.
    """
    event = verify_webhook(request.get_data(), request.headers, ENV["WEBHOOK_SECRET"])
    sale = sales.get(event["reference"]) if event else None
    if sale and event["event"] == "order.paid":
        files = [("boleta.pdf", Path("boleta.pdf").read_bytes(), "application/pdf")]
        sent = aapd.submit_receipt(rut=sale["rut"], order_hash=event["order_hash"], files=files)
        sale.update(status="paid", receipt=sent["status"])
    return "", 204


@app.errorhandler(WebhookRefused)
def refuse(error):
    app.logger.warning("%s", error)
    return "", 401


@app.errorhandler(AapdError)
def report(error):
    app.logger.error("%s", error)
    return "", 422 if error.code == "validation_error" else 500
