import os

from aapd import Aapd  # the file https://ORDER_API/docs/clients/aapd.py

env = os.environ
aapd = Aapd(
    order_api=env["ORDER_API"],
    spot_api=env["SPOT_API"],
    client_secret=env["CLIENT_SECRET"],
    public_key=env["PUBLIC_KEY"],
)


def start_checkout(reference, total_clp, patient):
    """Creates the order and mints its widget token. Keep the hash with your sale; the url goes to your page."""
    order = aapd.create_order({"reference": reference, "total_amount": total_clp, "customer": patient}, reference)
    minted = aapd.mint_widget_token({"order_token": order["hash"], "rut": patient["rut"]})
    return order["hash"], minted["url"]
