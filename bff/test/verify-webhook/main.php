<?php

require getenv('SAMPLES') . '/verify-webhook.php';

foreach (array_chunk(array_slice($argv, 1), 3) as [$body, $signature, $secret]) {
    $isGenuine = is_genuine(base64_decode($body), $signature === '-' ? null : $signature, $secret);
    echo $isGenuine ? "true\n" : "false\n";
}
