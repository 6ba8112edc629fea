<?php

/**
 * Client for "Atiéndete ahora, paga después" in one file. PHP 8.1 or newer, no packages; allow_url_fopen must be on.
 *
 *     $aapd = new Aapd(orderApi: $orderApi, spotApi: $spotApi, clientSecret: $secret, publicKey: $publicKey);
 *     $order = $aapd->createOrder(['reference' => 'sale-1', 'total_amount' => 45952, 'customer' => $patient], 'sale-1');
 *     $url = $aapd->mintWidgetToken(['order_token' => $order['hash'], 'rut' => $patient['rut']])['url'];
 *
 * Wrong arguments throw InvalidArgumentException before anything is sent. A refusal throws AapdError, a missing answer
 * AapdUnreachable. Calls are retried after a lost connection, a 429 and a 5xx. Repeat an order or a refund yourself
 * only with the same idempotency key: pass your own, or take idempotencyKey of the exception. Each mint with `deliver`
 * sends a mail, so it is retried only after a 429.
 */

declare(strict_types=1);

/**
 * A refusal. Match on errorCode; requestId belongs in a support request. The message names the refused fields. After a
 * 5xx the call may have taken effect: repeat it with idempotencyKey, which is null if the call takes none.
 */
final class AapdError extends RuntimeException
{
    /** @param array<string, mixed> $body */
    public function __construct(
        public readonly int $status,
        public readonly ?string $errorCode,
        public readonly ?string $requestId,
        public readonly array $body,
        string $message,
        public readonly ?string $idempotencyKey = null,
    ) {
        $key = $idempotencyKey === null ? '' : ", idempotency key $idempotencyKey";
        $facts = sprintf('%s, request %s%s', $errorCode ?? $status, $requestId ?? 'unknown', $key);
        parent::__construct("$message ($facts)");
    }
}

/** No answer: the call may have taken effect. Repeat it with idempotencyKey, which is null if the call takes none. */
final class AapdUnreachable extends RuntimeException
{
    public function __construct(
        string $message,
        public readonly ?string $idempotencyKey = null,
        ?Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}

/** The webhook is not from the service, or is too old. Answer 401. */
final class WebhookRefused extends RuntimeException
{
}

/** The signed receipt is not from the service, has expired, is for another order, or was shown before. */
final class ReceiptRefused extends RuntimeException
{
}

final class Aapd
{
    /** Method, path, the fields and query of each call, and the fields that every answer to it has. */
    public const CALLS = [
        'createOrder' => [
            'method' => 'POST',
            'path' => '/orders',
            'fields' => [
                'reference' => [],
                'total_amount' => [],
                'customer' => ['rut' => [], 'first_name' => [], 'last_name' => [], 'email' => [], 'phone_number' => []],
                'provider_rut' => [],
                'items' => ['description' => [], 'quantity' => [], 'amount' => []],
            ],
            'answer' => ['hash', 'status'],
        ],
        'getOrder' => [
            'method' => 'GET',
            'path' => '/orders/{hash}',
            'fields' => [],
            'answer' => ['hash', 'status'],
        ],
        'refundOrder' => [
            'method' => 'PUT',
            'path' => '/orders/{hash}/refund',
            'fields' => ['amount' => [], 'reason' => [], 'refund_reference' => []],
            'answer' => ['hash', 'refund'],
        ],
        'listOrders' => [
            'method' => 'GET',
            'path' => '/orders',
            'fields' => [],
            'query' => ['reference', 'status', 'rut', 'created_from', 'created_to', 'after', 'limit'],
            'answer' => ['orders'],
        ],
        'cancelOrder' => [
            'method' => 'POST',
            'path' => '/orders/{hash}/cancel',
            'fields' => [],
            'answer' => ['hash', 'status'],
        ],
        'listRefunds' => [
            'method' => 'GET',
            'path' => '/orders/{hash}/refunds',
            'fields' => [],
            'answer' => ['refunds'],
        ],
        'mintWidgetToken' => [
            'method' => 'POST',
            'path' => '/api/spot/widget',
            'fields' => [
                'order_token' => [],
                'rut' => [],
                'user_data' => ['name' => [], 'surname' => [], 'email' => [], 'phone_number' => [], 'rut' => []],
                'long_term_token' => [],
                'expires_in_minutes' => [],
                'provider_data' => ['rut' => [], 'name' => [], 'logo_url' => [], 'support_email' => []],
                'parent_origin' => [],
                'return_url' => [],
                'native' => [],
                'locale' => [],
                'qr' => [],
                'deliver' => ['email' => []],
            ],
            'answer' => ['widget_token', 'url'],
        ],
        'revokeWidgetToken' => [
            'method' => 'DELETE',
            'path' => '/api/spot/widget/{token}',
            'fields' => [],
            'answer' => ['status'],
        ],
        'submitReceipt' => [
            'method' => 'POST',
            'path' => '/api/spot/gastos',
            'fields' => [
                'name' => [],
                'date' => [],
                'receipt_id' => [],
                'receipt_rut' => [],
                'doctor_rut' => [],
                'total' => [],
                'expense_subtypes' => [],
            ],
            'answer' => ['id', 'status'],
        ],
        'listReceipts' => [
            'method' => 'GET',
            'path' => '/api/spot/gastos',
            'fields' => [],
            'query' => ['skip_pay_order_id', 'after', 'limit'],
            'answer' => ['expenses'],
        ],
        'readReceipt' => [
            'method' => 'GET',
            'path' => '/api/spot/gastos/{id}',
            'fields' => [],
            'answer' => ['id', 'status'],
        ],
        'upsertCenters' => [
            'method' => 'POST',
            'path' => '/api/spot/sacmed/centers',
            'fields' => [
                'centers' => [
                    'rut' => [],
                    'name' => [],
                    'email' => [],
                    'bank_account' => [
                        'bank' => [],
                        'account_type' => [],
                        'account_number' => [],
                        'holder_name' => [],
                        'holder_rut' => [],
                    ],
                ],
            ],
            'answer' => ['centers'],
        ],
        'listCenters' => [
            'method' => 'GET',
            'path' => '/api/spot/sacmed/centers',
            'fields' => [],
            'query' => ['after', 'limit'],
            'answer' => ['centers'],
        ],
    ];

    private const KEY_STARTS = ['clientSecret' => 'cs_', 'publicKey' => 'PK_', 'secretKey' => 'ak_'];

    private const ATTEMPTS_MAX = 4;
    private const TIMEOUT_SECONDS = 15;
    private const RECEIPT_TIMEOUT_SECONDS = 60;
    private const RETRY_AFTER_SECONDS_MAX = 30;
    /** The service releases its hold on an idempotency key after 30 seconds. */
    private const IN_FLIGHT_WAITS_MAX = 7;
    private const IN_FLIGHT_WAIT_SECONDS = 5;
    private const WEBHOOK_TOLERANCE_SECONDS = 300;
    private const WEBHOOK_SECRET_BYTES_MIN = 24;

    private readonly string $orderApi;
    private readonly string $spotApi;
    private readonly Closure $wait;

    /** Only centres and reading receipts need `secretKey`. */
    public function __construct(
        string $orderApi,
        string $spotApi,
        #[SensitiveParameter] private readonly string $clientSecret,
        private readonly string $publicKey,
        ?callable $wait = null,
        #[SensitiveParameter] private readonly ?string $secretKey = null,
    ) {
        $this->orderApi = self::address('orderApi', $orderApi);
        $this->spotApi = self::address('spotApi', $spotApi);
        self::header('clientSecret', $clientSecret);
        self::text('publicKey', $publicKey);
        if ($secretKey !== null) {
            self::header('secretKey', $secretKey);
        }
        $sleep = static fn (float $seconds) => usleep((int) ($seconds * 1_000_000));
        $this->wait = Closure::fromCallable($wait ?? $sleep);
    }

    /**
     * Pass your own id of the sale as the key: a repeat after a crash then returns the same order.
     *
     * @param array<string, mixed> $order
     * @return array<string, mixed>
     */
    public function createOrder(array $order, ?string $idempotencyKey = null): array
    {
        return $this->orderCall('createOrder', '', $order, $idempotencyKey);
    }

    /** @return array<string, mixed> */
    public function getOrder(string $orderHash): array
    {
        return $this->orderCall('getOrder', $orderHash, null, null);
    }

    /**
     * One page of `orders`, newest first. For the next one, pass `next` as `after`, until it is null. Filters:
     * `reference`, `status`, `rut`, `created_from` and `created_to` (days in Chile, included), `limit`.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listOrders(array $filters = []): array
    {
        return $this->send('listOrders', $this->orderApi, '', [], $this->bearer(), null, $filters);
    }

    /**
     * Cancels an order that is not paid. A paid one is refunded instead.
     *
     * @return array<string, mixed>
     */
    public function cancelOrder(string $orderHash, ?string $idempotencyKey = null): array
    {
        return $this->orderCall('cancelOrder', $orderHash, [], $idempotencyKey);
    }

    /**
     * All `refunds` of an order, also failed ones.
     *
     * @return array<string, mixed>
     */
    public function listRefunds(string $orderHash): array
    {
        return $this->orderCall('listRefunds', $orderHash, null, null);
    }

    /**
     * Refunds everything, or `amount` pesos.
     *
     * @param array<string, mixed> $refund
     * @return array<string, mixed>
     */
    public function refundOrder(string $orderHash, array $refund = [], ?string $idempotencyKey = null): array
    {
        return $this->orderCall('refundOrder', $orderHash, $refund, $idempotencyKey);
    }

    /**
     * Give your page the `url` of the answer, and nothing else. With `deliver`, each call mails another link.
     *
     * @param array<string, mixed> $request
     * @return array<string, mixed>
     */
    public function mintWidgetToken(array $request): array
    {
        if (array_key_exists('order_token', $request)) {
            self::text('mintWidgetToken: "order_token"', $request['order_token']);
        }
        $query = ['public_key' => $this->publicKey];
        // The service then does not limit minting by address.
        return $this->send('mintWidgetToken', $this->spotApi, '', $query, $this->bearer(), $request);
    }

    /**
     * Ends a token that you minted. A repeat changes nothing; an open checkout can still be paid.
     *
     * @return array<string, mixed>
     */
    public function revokeWidgetToken(string $widgetToken): array
    {
        return $this->send('revokeWidgetToken', $this->spotApi, $widgetToken, [], $this->bearer(), null);
    }

    /**
     * `files`: [name, bytes, content type] of the receipt, then of documents such as the medical order.
     *
     * @param list<array{string, string, string}> $files
     * @param array<string, mixed> $fields
     * @return array<string, mixed>
     */
    public function submitReceipt(
        #[SensitiveParameter] string $rut,
        string $orderHash,
        array $files,
        array $fields = [],
        ?string $idempotencyKey = null,
    ): array {
        self::text('submitReceipt: rut', $rut);
        self::text('submitReceipt: orderHash', $orderHash);
        if ($files === []) {
            throw new InvalidArgumentException(
                'submitReceipt: files is empty. Pass the receipt: [[name, bytes, contentType]].',
            );
        }
        foreach ($files as $file) {
            if (!is_array($file) || array_map(get_debug_type(...), $file) !== ['string', 'string', 'string']) {
                throw new InvalidArgumentException(
                    'submitReceipt: each of files must be [name, bytes, contentType].',
                );
            }
        }
        self::knownFields('submitReceipt', $fields, self::CALLS['submitReceipt']['fields']);
        [$type, $form] = self::form($fields + ['skip_pay_order_id' => $orderHash], $files);
        $query = ['public_key' => $this->publicKey, 'rut' => $rut];
        $headers = ['Content-Type' => $type] + self::idempotency('submitReceipt', $idempotencyKey);
        return $this->send('submitReceipt', $this->spotApi, '', $query, $headers, $form);
    }

    /**
     * One page of your `expenses`, newest first. For the next one, pass `next` as `after`, until it is null. Filters:
     * `skip_pay_order_id` (an order's hash), `limit`.
     *
     * @param array<string, mixed> $filters
     * @return array<string, mixed>
     */
    public function listReceipts(array $filters = []): array
    {
        $headers = $this->secret('listReceipts');
        return $this->send('listReceipts', $this->spotApi, '', [], $headers, null, $filters);
    }

    /**
     * A submitted receipt by its `id`, with its present status and `missing_document_types`.
     *
     * @return array<string, mixed>
     */
    public function readReceipt(string $expenseId): array
    {
        return $this->send('readReceipt', $this->spotApi, $expenseId, [], $this->secret('readReceipt'), null);
    }

    /**
     * Creates or changes sub-clinics of a meta-provider by RUT, all or none.
     *
     * @param list<array<string, mixed>> $centers
     * @return array<string, mixed>
     */
    public function upsertCenters(array $centers): array
    {
        $query = ['public_key' => $this->publicKey];
        $headers = $this->secret('upsertCenters');
        return $this->send('upsertCenters', $this->spotApi, '', $query, $headers, ['centers' => $centers]);
    }

    /**
     * One page of your sub-clinics by RUT. For the next one, pass `next` as `after`, until it is null.
     *
     * @param array<string, mixed> $page
     * @return array<string, mixed>
     */
    public function listCenters(array $page = []): array
    {
        $headers = $this->secret('listCenters');
        return $this->send('listCenters', $this->spotApi, '', [], $headers, null, $page);
    }

    /**
     * The event of a webhook, from the bytes as received (file_get_contents('php://input')) and all headers of the
     * request (getallheaders()). Null is a test of the endpoint, about no order: answer 2xx. Process an `event_id` once.
     *
     * @param array<string, string> $headers
     * @return array<string, mixed>|null
     * @throws WebhookRefused
     */
    public static function verifyWebhook(
        string $rawBody,
        array $headers,
        #[SensitiveParameter] string $webhookSecret,
        ?int $now = null,
    ): ?array {
        self::text('verifyWebhook: webhookSecret', $webhookSecret);
        $key = base64_decode(preg_replace('/^whsec_/', '', $webhookSecret), true);
        // An empty or short key can be guessed.
        if ($key === false || strlen($key) < self::WEBHOOK_SECRET_BYTES_MIN) {
            throw new InvalidArgumentException('verifyWebhook: webhookSecret must begin with whsec_ and be complete.');
        }
        $given = array_change_key_case($headers);
        [$id, $sentAt] = [$given['webhook-id'] ?? '', $given['webhook-timestamp'] ?? ''];
        $signatures = $given['webhook-signature'] ?? '';
        if ($id === '' || $sentAt === '' || $signatures === '') {
            throw new WebhookRefused(
                'webhook-id, webhook-timestamp or webhook-signature is missing: pass all headers',
            );
        }
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$rawBody", $key, true));
        $matching = array_filter(explode(' ', $signatures), static fn (string $one) => hash_equals($expected, $one));
        if ($matching === []) {
            throw new WebhookRefused(
                'the signature does not match: check WEBHOOK_SECRET, and pass the bytes as received',
            );
        }
        if (!ctype_digit($sentAt)) {
            throw new WebhookRefused('webhook-timestamp is not a time');
        }
        if (abs(($now ?? time()) - (int) $sentAt) > self::WEBHOOK_TOLERANCE_SECONDS) {
            throw new WebhookRefused(
                "the webhook was sent more than five minutes ago, or this machine's clock is wrong",
            );
        }
        $event = json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
        return is_array($event) && is_string($event['order_hash'] ?? null) ? $event : null;
    }

    /**
     * The claims of the `signed_receipt` that your page received. `remember(jti)` is yours: it stores the id, and
     * returns false if it was stored before. Needs the extension sodium, which PHP includes.
     *
     * @return array<string, mixed>
     * @throws ReceiptRefused
     * @throws AapdUnreachable Without the service's keys.
     */
    public static function checkReceipt(
        string $signedReceipt,
        string $orderApi,
        string $providerId,
        string $orderHash,
        callable $remember,
        ?int $now = null,
    ): array {
        $parts = explode('.', $signedReceipt);
        $decoded = array_map(self::base64url(...), $parts);
        $header = json_decode($decoded[0], true);
        $claims = json_decode($decoded[1] ?? '', true);
        if (count($parts) !== 3 || !is_array($header) || !is_array($claims)) {
            throw new ReceiptRefused('this is not a signed receipt');
        }
        $issuer = self::address('orderApi', $orderApi);
        $key = self::receiptKey($issuer, $header['kid'] ?? null);
        $isSigned = ($header['alg'] ?? null) === 'EdDSA'
            && strlen($key) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES
            && strlen($decoded[2]) === SODIUM_CRYPTO_SIGN_BYTES
            && sodium_crypto_sign_verify_detached($decoded[2], "$parts[0].$parts[1]", $key);
        if (!$isSigned) {
            throw new ReceiptRefused('the receipt was not signed by the service');
        }
        foreach (['iss' => $issuer, 'aud' => $providerId, 'sub' => $orderHash] as $name => $value) {
            if (($claims[$name] ?? null) !== $value) {
                throw new ReceiptRefused("the receipt is for another $name: " . ($claims[$name] ?? ''));
            }
        }
        if (($claims['exp'] ?? 0) <= ($now ?? time())) {
            throw new ReceiptRefused('the receipt has expired');
        }
        if (!$remember($claims['jti'])) {
            throw new ReceiptRefused('this receipt was shown before');
        }
        return $claims;
    }

    private static function receiptKey(string $issuer, mixed $id): string
    {
        $url = "$issuer/.well-known/jwks.json";
        [$status, , $answer, $cause] = self::attempt('GET', $url, [], '', self::TIMEOUT_SECONDS);
        if ($status !== 200 || !is_array($answer['keys'] ?? null)) {
            throw new AapdUnreachable("The service's keys at $url were not answered: $cause.");
        }
        foreach ($answer['keys'] as $key) {
            if (($key['kid'] ?? null) === $id && ($key['crv'] ?? null) === 'Ed25519') {
                return is_string($key['x'] ?? null) ? self::base64url($key['x']) : '';
            }
        }
        return '';
    }

    /**
     * @param array<string, mixed>|null $value
     * @return array<string, mixed>
     */
    private function orderCall(string $call, string $orderHash, ?array $value, ?string $idempotencyKey): array
    {
        $headers = $this->bearer();
        if ($value !== null) {
            $headers += self::idempotency($call, $idempotencyKey);
        }
        return $this->send($call, $this->orderApi, $orderHash, [], $headers, $value);
    }

    /** @return array<string, string> */
    private static function idempotency(string $call, ?string $key): array
    {
        $key ??= bin2hex(random_bytes(16));
        self::header("$call: idempotencyKey", $key);
        return ['Idempotency-Key' => $key];
    }

    /** @return array<string, string> */
    private function bearer(): array
    {
        return ['Authorization' => "Bearer $this->clientSecret"];
    }

    /** @return array<string, string> */
    private function secret(string $call): array
    {
        if ($this->secretKey === null) {
            throw new InvalidArgumentException("$call needs a secretKey: pass it to new Aapd(...).");
        }
        return ['X-Secret-Key' => $this->secretKey];
    }

    /**
     * @param string $part What replaces the variable of the path.
     * @param array<string, string> $query
     * @param array<string, string> $headers
     * @param array<string, mixed>|string|null $body An array is sent as JSON.
     * @param array<string, mixed> $filters Parameters that the caller gives.
     * @return array<string, mixed>
     */
    private function send(
        string $call,
        string $base,
        #[SensitiveParameter] string $part,
        #[SensitiveParameter] array $query,
        #[SensitiveParameter] array $headers,
        #[SensitiveParameter] array|string|null $body,
        #[SensitiveParameter] array $filters = [],
    ): array {
        ['method' => $method, 'path' => $path, 'fields' => $fields] = self::CALLS[$call];
        if (preg_match('/\{(\w+)\}/', $path, $found) === 1) {
            self::text("$call: $found[1]", $part);
            $path = str_replace($found[0], rawurlencode($part), $path);
        }
        $keys = array_keys(array_filter([
            'publicKey' => isset($query['public_key']),
            'clientSecret' => isset($headers['Authorization']),
            'secretKey' => isset($headers['X-Secret-Key']),
        ]));
        $once = is_array($body) && array_key_exists('deliver', $body);
        if (is_array($body)) {
            self::knownFields($call, $body, $fields);
            $headers['Content-Type'] = 'application/json';
            $body = json_encode($body === [] ? new stdClass() : $body, JSON_THROW_ON_ERROR);
        }
        $query += self::knownQuery($call, $filters);
        $url = $base . $path . ($query === [] ? '' : '?' . http_build_query($query));
        $timeout = $call === 'submitReceipt' ? self::RECEIPT_TIMEOUT_SECONDS : self::TIMEOUT_SECONDS;
        $attempt = static fn () => self::attempt($method, $url, $headers, $body ?? '', $timeout);
        $key = $headers['Idempotency-Key'] ?? null;
        // Without the value in the path, which may be a widget token.
        return $this->retried($call, $attempt, $base . self::CALLS[$call]['path'], $keys, $key, $once);
    }

    /**
     * @param callable(): array{?int, array<string, string>, array<string, mixed>, string} $attempt
     * @param string $url Without its query, which has the patient's RUT.
     * @param list<string> $keys Those that the call sends.
     * @param bool $once A repeat would have another effect.
     * @return array<string, mixed>
     */
    private function retried(
        string $call,
        callable $attempt,
        string $url,
        array $keys,
        ?string $key,
        bool $once,
    ): array {
        $what = self::CALLS[$call]['method'] . ' ' . parse_url($url, PHP_URL_PATH);
        $repeat = self::repeat($key, $once);
        [$inFlightWaits, $mayBeDone] = [0, false];
        for ($attempts = 1;;) {
            [$status, $headers, $answer, $cause] = $attempt();
            $isWhole = array_diff(self::CALLS[$call]['answer'], array_keys($answer)) === [];
            if ($status !== null && $status >= 200 && $status < 300 && $isWhole) {
                return $answer;
            }
            $delay = min(10.0, 0.5 * 2 ** ($attempts - 1));
            if ($status === null || $status < 300) {
                $mayBeDone = true;
                if ($once || $attempts >= self::ATTEMPTS_MAX) {
                    $advice = "It may have taken effect. $repeat";
                    throw new AapdUnreachable("$what was not answered: $cause. $advice", $key);
                }
            } else {
                $error = self::error($status, $headers, $answer, $url, $keys, $key, $repeat);
                if ($error->errorCode === 'idempotency_in_flight') {
                    if ($inFlightWaits >= self::IN_FLIGHT_WAITS_MAX) {
                        throw new AapdUnreachable("$what: an earlier try is still running. $repeat", $key, $error);
                    }
                    $inFlightWaits += 1;
                    $mayBeDone = true;
                    ($this->wait)(self::IN_FLIGHT_WAIT_SECONDS);
                    continue;
                }
                $requested = (int) ($headers['retry-after'] ?? 0);
                $isFinal = $attempts >= self::ATTEMPTS_MAX || $requested > self::RETRY_AFTER_SECONDS_MAX;
                if ($isFinal || !($status === 429 || ($status >= 500 && !$once))) {
                    // Decided before the request was processed: it says nothing about an earlier attempt.
                    if ($mayBeDone && in_array($status, [401, 403, 429], true)) {
                        $message = "$what may have taken effect earlier: {$error->getMessage()} $repeat";
                        throw new AapdUnreachable($message, $key, $error);
                    }
                    throw $error;
                }
                $mayBeDone = $mayBeDone || $status >= 500;
                $delay = max($delay, $requested);
            }
            $attempts += 1;
            ($this->wait)($delay);
        }
    }

    /**
     * @param array<string, string> $headers
     * @return array{?int, array<string, string>, array<string, mixed>, string} Status, headers and JSON object of an
     *   answer, empty if it has none, and why.
     */
    private static function attempt(
        string $method,
        #[SensitiveParameter] string $url,
        #[SensitiveParameter] array $headers,
        #[SensitiveParameter] string $body,
        int $timeout,
    ): array {
        $lines = array_map(static fn ($name, $value) => "$name: $value", array_keys($headers), $headers);
        // A redirected request would lose its body, or send its secret to another host.
        $http = ['method' => $method, 'header' => $lines, 'content' => $body, 'timeout' => $timeout]
            + ['ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1];
        [$stream, $cause] = self::open($url, stream_context_create(['http' => $http]));
        if ($stream === false) {
            return [null, [], [], $cause];
        }
        $text = stream_get_contents($stream);
        ['wrapper_data' => $received, 'timed_out' => $isLate] = stream_get_meta_data($stream);
        fclose($stream);
        if ($isLate || $text === false) {
            return [null, [], [], "no whole answer within $timeout seconds"];
        }
        $status = (int) (explode(' ', $received[0])[1] ?? 0);
        $found = [];
        foreach (array_slice($received, 1) as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $found[strtolower($name)] = trim($value);
        }
        $answer = json_decode($text, true);
        $host = parse_url($url, PHP_URL_HOST);
        $cause = "the answer is not from the service; check that $host is its address";
        return [$status, $found, is_array($answer) ? $answer : [], $cause];
    }

    /**
     * PHP's warning has the whole URL, with the patient's RUT: it reaches neither the message nor an error handler.
     *
     * @param resource $context
     * @return array{resource|false, string} The stream, or why there is none.
     */
    private static function open(#[SensitiveParameter] string $url, $context): array
    {
        $cause = 'the connection failed';
        set_error_handler(static function (int $_, string $warning) use (&$cause): bool {
            if (preg_match('~Failed to open stream: (.+)~', $warning, $found) === 1) {
                $cause = $found[1];
            }
            return true;
        });
        try {
            return [fopen($url, 'r', false, $context), $cause];
        } finally {
            restore_error_handler();
        }
    }

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed> $body
     * @param list<string> $keys
     */
    private static function error(
        int $status,
        array $headers,
        array $body,
        string $url,
        array $keys,
        ?string $key,
        string $repeat,
    ): AapdError {
        [$detail, $code, $errors] = [$body['detail'] ?? null, $body['code'] ?? null, $body['errors'] ?? null];
        if (is_array($detail)) {
            [$code, $detail] = [$code ?? $detail['error_code'] ?? null, $detail['message'] ?? null];
        }
        $code = is_string($code) ? $code : null;
        $message = is_string($detail) && $detail !== '' ? $detail : "The service answered $status.";
        $word = static fn (mixed $value) => is_scalar($value) ? (string) $value : '';
        $found = array_filter(is_array($errors) ? $errors : [], is_array(...));
        if ($found !== []) {
            $issue = static fn (array $one) => $word($one['path'] ?? '') . ': ' . $word($one['message'] ?? '');
            $message .= ' (' . implode('; ', array_map($issue, $found)) . ')';
        }
        $advice = self::advice($status, $code, $url, $keys, $repeat);
        return new AapdError($status, $code, $headers['x-request-id'] ?? null, $body, trim("$message $advice"), $key);
    }

    private static function repeat(?string $key, bool $once): string
    {
        return match (true) {
            $once => 'The mail may have been sent: to get a link without another mail, mint without deliver.',
            $key !== null => "Repeat it with the same idempotency key, $key.",
            default => 'Repeat the call: it is safe.',
        };
    }

    /** @param list<string> $keys */
    private static function advice(int $status, ?string $code, string $url, array $keys, string $repeat): string
    {
        $host = preg_replace('~^(https?://[^/]+).*~', '$1', $url);
        $start = self::KEY_STARTS[$keys[0] ?? ''] ?? '';
        return match (true) {
            $status === 401 && count($keys) === 1 =>
                "Check $keys[0]: it begins with $start and belongs to the environment of $host.",
            $status === 401 => 'Check ' . implode(' and ', $keys) . ": both belong to the environment of $host.",
            $code === 'beneficiary_not_found' =>
                'Submit the receipt after order.paid: the checkout registers the patient.',
            $code === 'duplicate_reference' =>
                'Use one reference for each attempt, or repeat the first call with its idempotency key.',
            $status >= 500 => "$repeat If it fails for five minutes, send support the request id.",
            $status >= 300 && $status < 400 => "Use the address of the service itself instead of $host.",
            $code === null => "Check that $host is the address of the service.",
            default => '',
        };
    }

    /**
     * The query's parameters. A first page may have `after` null; another null would list more than was meant.
     *
     * @param array<string, mixed> $query
     * @return array<string, mixed>
     */
    private static function knownQuery(string $call, array $query): array
    {
        self::knownFields($call, $query, array_fill_keys(self::CALLS[$call]['query'] ?? [], []));
        foreach ($query as $name => $value) {
            if ($value === null && $name !== 'after') {
                throw new InvalidArgumentException("$call: \"$name\" is null. Leave it out if you want all.");
            }
        }
        return array_filter($query, static fn ($value) => $value !== null);
    }

    /** @param array<string, mixed> $known */
    private static function knownFields(string $call, mixed $value, array $known, string $path = ''): void
    {
        if (!is_array($value) || ($known === [] && $path !== '')) {
            return;
        }
        foreach ($value as $name => $inner) {
            if (is_int($name) && array_is_list($value)) {
                self::knownFields($call, $inner, $known, $path);
                continue;
            }
            if (!array_key_exists($name, $known)) {
                $advice = self::nearest((string) $name, array_keys($known));
                throw new InvalidArgumentException("$call: there is no field \"$path$name\". $advice");
            }
            self::knownFields($call, $inner, $known[$name], "$path$name.");
        }
    }

    /** @param list<string> $known */
    private static function nearest(string $name, array $known): string
    {
        $plain = static fn (string $text) => str_replace(['_', '-'], '', strtolower($text));
        foreach ($known as $one) {
            if (levenshtein($plain($one), $plain($name)) <= 1) {
                return "Did you mean \"$one\"?";
            }
        }
        return 'Known fields: ' . implode(', ', $known) . '.';
    }

    private static function text(string $what, mixed $value): void
    {
        if (!is_string($value) || trim($value) === '') {
            $found = $value === '' ? 'empty' : get_debug_type($value);
            throw new InvalidArgumentException("$what must be a text, but is $found.");
        }
    }

    /** The message leaves the value out: it may be a secret. */
    private static function header(string $what, #[SensitiveParameter] string $value): void
    {
        self::text($what, $value);
        if (preg_match('/^[!-~](?:[ -~]*[!-~])?$/D', $value) !== 1) {
            throw new InvalidArgumentException(
                "$what must be printable ASCII without a line break or spaces around it.",
            );
        }
    }

    /** http:// would send the secret and the patient's data unencrypted, so it is for this machine only. */
    private static function address(string $name, string $value): string
    {
        self::text($name, $value);
        $pattern = '~^(https?)://(\[[\da-fA-F:]+\]|[^\s/?#@\\\\:\[\]]+)(:\d+)?(/[^\s?#\\\\]*)?$~D';
        $isAddress = preg_match($pattern, $value, $parts) === 1;
        if (!$isAddress || ($parts[1] === 'http' && !in_array($parts[2], ['localhost', '127.0.0.1', '[::1]'], true))) {
            throw new InvalidArgumentException(
                "$name must be an address that begins with https://. http:// is only for localhost.",
            );
        }
        return rtrim($value, '/');
    }

    /**
     * @param array<string, mixed> $fields
     * @param list<array{string, string, string}> $files
     * @return array{string, string} Content type and body.
     */
    private static function form(array $fields, array $files): array
    {
        $boundary = bin2hex(random_bytes(16));
        $body = '';
        foreach ($fields as $name => $value) {
            foreach (is_array($value) ? $value : [$value] as $one) {
                if ($one !== null) {
                    $body .= "--$boundary\r\nContent-Disposition: form-data; name=\"$name\"\r\n\r\n$one\r\n";
                }
            }
        }
        foreach ($files as [$fileName, $content, $type]) {
            $escaped = strtr($fileName, ['"' => '%22', "\r" => '%0D', "\n" => '%0A']);
            $body .= "--$boundary\r\nContent-Disposition: form-data; name=\"uploaded_files\"; filename=\"$escaped\"\r\n"
                . "Content-Type: $type\r\n\r\n$content\r\n";
        }
        return ["multipart/form-data; boundary=$boundary", "$body--$boundary--\r\n"];
    }

    private static function base64url(string $text): string
    {
        return (string) base64_decode(strtr($text, '-_', '+/'), true);
    }
}
