def submit_receipt(aapd, order_hash, rut, receipt):
    """Sends the receipt of an order. Safe to repeat: an order has one expense."""
    return aapd.submit_receipt(rut=rut, order_hash=order_hash, files=[("boleta.pdf", receipt, "application/pdf")])
