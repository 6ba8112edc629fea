curl -sS "$SPOT_API/api/spot/gastos?public_key=$PUBLIC_KEY&rut=40100000-3" \
  -F "skip_pay_order_id=$hash" -F "uploaded_files=@boleta.pdf;type=application/pdf"
