<?php
// SPDX-License-Identifier: Apache-2.0
// A client of evidence-service in one file, for PHP 8.1 and later with its curl extension (Debian: php-curl).
//
//   $service = new EvidenceService('/run/evidence/evidence.sock');
//   $service->open('payload.json', 'video.mp4', ['orderNo' => 'ord1']);
//   $report = $service->check('php://input', ['orderNo' => 'ord1', 'userId' => 'u1']);
//
// A document is the path of a file or of a stream, an SplFileInfo (an UploadedFile of Symfony or Laravel), an SplFileObject
// from where it stands, a stream that is open, a stream, a request or an uploaded file of PSR-7, or an iterable of strings:
// [$bytes] for a document in a string. What says no length is sent in chunks, unless you give one: then that many bytes are
// the document, and no more is read. A parameter is a string, a number or a bool; null is not sent. iv, in hexadecimal, is sent
// as a header: queries are logged.
declare(strict_types=1);

/** What the service refused; $code in the document is for programs. $retryAfter: in seconds. */
final class EvidenceProblem extends RuntimeException
{
    public readonly int $status;
    public readonly array $document;
    public readonly ?int $retryAfter;

    public function __construct(int $status, array $document, ?int $retryAfter = null)
    {
        $this->__unserialize([$status, $document, $retryAfter]);
    }

    /** A queue may carry it: without its trace, which may hold what cannot be serialised. */
    public function __serialize(): array
    {
        return [$this->status, $this->document, $this->retryAfter];
    }

    public function __unserialize(array $data): void
    {
        [$this->status, $this->document, $this->retryAfter] = $data;
        $title = $this->document['title'] ?? 'refused without a problem document';
        $hint = isset($this->document['hint']) ? ': ' . $this->document['hint'] : '';
        parent::__construct("$title ($this->status " . ($this->document['code'] ?? '-') . ")$hint");
    }
}

final class EvidenceService
{
    public function __construct(private string $path, private int $seconds = 60)
    {
        extension_loaded('curl') || throw new RuntimeException("PHP's curl extension is missing (Debian: php-curl)");
    }

    /** Opens the video of a payload into a new file: whole, or not at all. */
    public function open(mixed $payload, string $destination, array $query, ?int $length = null): void
    {
        // A name of its own: what a killed run left is in nobody's way.
        $part = "$destination." . bin2hex(random_bytes(8)) . '.part';
        $file = @fopen($part, 'x') ?: throw new RuntimeException("cannot write $part");
        try {
            chmod($part, 0600);
            $this->request('open', $payload, $query, $length, $file);
            @fsync($file) && fclose($file) || throw new RuntimeException("cannot write $part");
            @link($part, $destination) || throw new RuntimeException(
                "cannot write $destination: " . (file_exists($destination) ? 'it exists' : 'it cannot be linked'));
        } finally {
            unlink($part);
        }
    }

    /**
     * The report of a result. Look at its verdict: only 'holds' is yes. Under a profile without a tag, or with a padding other
     * than OAEP, it is a receipt and the verdict null: `extract` makes a folder if everything holds.
     */
    public function check(mixed $result, array $query, ?int $length = null): array
    {
        return json_decode($this->request('check', $result, $query, $length), true) + ['verdict' => null];
    }

    public function verify(string $recipe, string $sign, array $values): array
    {
        self::encoded($values);
        $body = ['recipe' => $recipe, 'sign' => $sign, 'values' => (object) $values];
        return json_decode($this->request('verify', [json_encode($body, JSON_THROW_ON_ERROR)], []), true);
    }

    private function request(string $operation, mixed $document, array $query, ?int $length = null, $file = null): string
    {
        [$content, $fields, $digest, $count, $fault] = ['', [], hash_init('sha256'), 0, null];
        $iv = $query['iv'] ?? null;
        $iv === null || is_string($iv) && ctype_xdigit($iv) || throw new TypeError('iv must be hexadecimal digits');
        unset($query['iv']);
        $target = "http://evidence/v1/$operation?" . self::encoded($query);
        $length === null || $length >= 0 || throw new InvalidArgumentException("length must be a number of bytes, not $length");
        [$size, $pieces] = self::opened($document, $length);
        if ($length !== null) [$size, $pieces] = [$length, self::beginning($pieces, $length)];
        [$left, $ahead] = [$size, ''];
        $curl = curl_init($target);
        curl_setopt_array($curl, [
            CURLOPT_UNIX_SOCKET_PATH => $this->path, CURLOPT_TIMEOUT => $this->seconds, CURLOPT_UPLOAD => true,
            CURLOPT_CUSTOMREQUEST => 'POST', CURLOPT_PROXY => '',
            // Without this, curl would wait for "100 Continue" before it sends the body.
            CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'Expect:', ...($size === null ? ['Transfer-Encoding: chunked'] : []),
                ...($iv === null ? [] : ["Evidence-IV: $iv"])],
            CURLOPT_READFUNCTION => function ($curl, $stream, int $room) use ($pieces, &$left, &$ahead, &$fault): string|int {
                try {
                    while ($ahead === '' && $pieces->valid()) {
                        $ahead = $pieces->current();
                        is_string($ahead) || throw new TypeError('a piece of the document must be a string of bytes, not ' . get_debug_type($ahead));
                        $pieces->next();
                        if ($left !== null) $left -= strlen($ahead);
                        if ($left < 0 || $left === 0 && $pieces->valid()) throw new RuntimeException('the document grew while it was sent');
                    }
                    if ($ahead === '' && $left > 0) throw new RuntimeException("the document ended $left bytes too early: it was cut off, or its length is another one");
                } catch (Throwable $error) {
                    $fault = $error;
                    return 0x10000000; // CURL_READFUNC_ABORT: without its end, the service answers nothing.
                }
                [$piece, $ahead] = [substr($ahead, 0, $room), substr($ahead, $room)];
                return $piece;
            },
            CURLOPT_HEADERFUNCTION => function ($curl, string $line) use (&$fields): int {
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $fields[strtolower($name)] = trim($value);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => function ($curl, string $piece) use (&$content, &$count, $digest, $file): int {
                hash_update($digest, $piece);
                $count += strlen($piece);
                if ($file === null || curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) $content .= $piece;
                // A short write ends the transfer: the digest would not show that the disk is full.
                elseif (@fwrite($file, $piece) !== strlen($piece) || !@fflush($file)) return 0;
                return strlen($piece);
            },
        ] + ($size === null ? [] : [CURLOPT_INFILESIZE => $size]));
        $isWhole = curl_exec($curl);
        if ($fault !== null) throw $fault;
        $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
        $after = ctype_digit($fields['retry-after'] ?? '') ? (int) $fields['retry-after'] : null;
        $expected = 'sha-256=:' . base64_encode(hash_final($digest, true)) . ':';
        // After a refusal the upload may have failed, because the service does not read all of it.
        if (!$isWhole && ($status === 200 || $status === 0)) throw new RuntimeException("evidence-service at $this->path: " . curl_error($curl));
        if ($status !== 200 && !isset($fields['repr-digest'])) throw new EvidenceProblem($status, [], $after);
        if (($fields['content-length'] ?? '') !== (string) $count || ($fields['repr-digest'] ?? '') !== $expected) {
            throw new RuntimeException('the answer is incomplete');
        }
        if ($status !== 200) throw new EvidenceProblem($status, (array) json_decode($content, true), $after);
        return $content;
    }

    private static function encoded(array $query): string
    {
        foreach ($query as $name => $value) {
            if ($value === null) continue;
            is_scalar($value) && (!is_float($value) || is_finite($value)) || throw new TypeError("$name must be a string, a number or a bool, not " . get_debug_type($value));
            $text = is_bool($value) ? ($value ? 'true' : 'false') : (string) $value;
            preg_match('//u', $text) || throw new InvalidArgumentException("$name is not UTF-8");
            $pairs[] = "$name=" . rawurlencode($text);
        }
        return implode('&', $pairs ?? []);
    }

    /** The length of a document, where it is certain, and its pieces. No more is read than the length that was given. */
    private static function opened(mixed $document, ?int $length): array
    {
        if (is_object($document) && !method_exists($document, 'read')) {
            if (method_exists($document, 'getStream')) $document = $document->getStream();
            elseif (method_exists($document, 'getBody')) $document = $document->getBody();
        }
        if ($document instanceof SplFileObject) {
            return [null, self::pieces(fn($room) => $document->eof() ? '' : $document->fread($room), fn() => $document->eof(), $length)];
        }
        if ($document instanceof SplFileInfo) $document = $document->getPathname();
        if (is_string($document)) {
            // An error with the path would show it.
            (strlen($document) > 4096 || preg_match('/^(\xEF\xBB\xBF)?\s*[{["]/', $document)) && throw new TypeError('this is a document, not the path of one: pass [$document]');
            $document = (!is_dir($document) ? @fopen($document, 'rb') : null) ?: throw new RuntimeException("cannot read $document");
        }
        if (is_resource($document)) {
            // Filters and wrappers give other bytes than the file has.
            ['mode' => $mode, 'size' => $size] = (fstat($document) ?: []) + ['mode' => 0, 'size' => 0];
            $isPlain = stream_get_meta_data($document)['wrapper_type'] ?? '';
            $isPlain = $isPlain === 'plainfile' && ($mode & 0170000) === 0100000;
            return [$isPlain ? max($size - ftell($document), 0) : null, self::pieces(fn($room) => feof($document) ? '' : @fread($document, $room), fn() => feof($document), $length)];
        }
        if (is_object($document) && method_exists($document, 'eof') && method_exists($document, 'read')) {
            return [null, self::pieces(fn($room) => $document->eof() ? '' : $document->read($room), fn() => $document->eof(), $length)];
        }
        if (is_iterable($document)) return [null, (fn() => yield from $document)()];
        throw new TypeError('a document is a path, a stream or an iterable of strings, not ' . get_debug_type($document));
    }

    private static function pieces(callable $read, callable $isOver, ?int $left): Generator
    {
        while ($left !== 0 && ($piece = $read(min($left ?? 65536, 65536))) !== '' && $piece !== false) {
            if ($left !== null) $left -= strlen($piece);
            yield $piece;
        }
        $left === 0 || $isOver() || throw new RuntimeException('the document cannot be read to its end');
    }

    private static function beginning(iterable $pieces, int $left): Generator
    {
        if ($left === 0) return;
        foreach ($pieces as $piece) {
            if (is_string($piece)) $piece = substr($piece, 0, $left);
            yield $piece;
            if (($left -= strlen($piece)) === 0) return;
        }
    }
}
