<?php

/** Sends the receipt of an order. Safe to repeat: an order has one expense. */
function submitReceipt(Aapd $aapd, string $hash, string $rut, string $receipt): array
{
    return $aapd->submitReceipt($rut, $hash, [['boleta.pdf', $receipt, 'application/pdf']]);
}
