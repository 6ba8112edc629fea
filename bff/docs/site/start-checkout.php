<?php

require_once 'Aapd.php'; // the file https://ORDER_API/docs/clients/Aapd.php

$aapd = new Aapd(
    orderApi: getenv('ORDER_API'),
    spotApi: getenv('SPOT_API'),
    clientSecret: getenv('CLIENT_SECRET'),
    publicKey: getenv('PUBLIC_KEY'),
);

/** Creates the order and mints its widget token. Keep `hash` with your sale; `url` goes to your page. */
function startCheckout(Aapd $aapd, string $reference, int $totalClp, array $patient): array
{
    $sale = ['reference' => $reference, 'total_amount' => $totalClp, 'customer' => $patient];
    $order = $aapd->createOrder($sale, $reference);
    $minted = $aapd->mintWidgetToken(['order_token' => $order['hash'], 'rut' => $patient['rut']]);
    return ['hash' => $order['hash'], 'url' => $minted['url']];
}
