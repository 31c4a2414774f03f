<?php
// SPDX-License-Identifier: Apache-2.0
// The rows of client-behaviour.ndjson in PHP: main.php CLIENTS FOLDER.
declare(strict_types=1);
set_error_handler(function (int $level, string $message) { if (error_reporting() & $level) throw new ErrorException($message); });
[, $clients, $folder] = $argv;
require "$clients/EvidenceService.php";
chdir($folder);
$data = file_get_contents('result.json');

function at(string $name, int $seconds = 20): EvidenceService { return new EvidenceService("$name.sock", $seconds); }
function check(mixed $body, array $query = [], string $name = 'evidence', ?int $length = null): string
{
    return at($name)->check($body, $query + ['orderNo' => 'ord1'], $length)['verdict'];
}
function given(mixed $body, int $length, string $name = 'evidence'): string { return check($body, [], $name, $length); }
function givenLength(string $data): string
{
    $file = memory("{$data}more");
    given($file, strlen($data));
    if (stream_get_contents($file) !== 'more') return 'the rest is gone';
    given(new Stream("{$data}more"), strlen($data));
    return given([substr($data, 0, 9), substr($data, 9) . 'more'], strlen($data));
}
function opened(string $name): string
{
    at('evidence')->open('payload.json', $name, ['orderNo' => 'ord1']);
    return 'opened';
}
function busy(callable $carry): string
{
    try { return check(['x'], [], 'busy'); } catch (EvidenceProblem $error) {
        $error = $carry($error);
        return $error->document['code'] . " $error->retryAfter";
    }
}
function existing(): string
{
    file_put_contents('taken', 'before');
    try { return opened('taken'); } catch (RuntimeException) { return file_get_contents('taken') === 'before' ? 'kept' : 'lost'; }
}
function standing(string $path, int $count)
{
    $file = fopen($path, 'rb');
    fread($file, $count);
    return $file;
}
function memory(string $data, string $place = 'php://memory')
{
    $file = fopen($place, 'w+b');
    fwrite($file, $data);
    rewind($file);
    return $file;
}
function object(string $data): SplFileObject
{
    $file = new SplTempFileObject();
    $file->fwrite("left out$data");
    $file->fseek(8);
    return $file;
}
function dying(string $data): Generator { yield substr($data, 0, 5); throw new RuntimeException('the disk is gone'); }
function long(): Generator { for ($count = 0; $count < 400; $count++) yield str_repeat("\0", 50_000); }

/** As of PSR-7. */
final class Stream
{
    private int $place = 0;
    public function __construct(private string $data) {}
    public function eof(): bool { return $this->place >= strlen($this->data); }
    public function read(int $count): string { return substr($this->data, ($this->place += $count) - $count, $count); }
}

$rows = [
    'bytes' => fn() => check([$data]),
    'path-text' => fn() => check('result.json'),
    'path-object' => fn() => check(new SplFileInfo('result.json')),
    'file' => fn() => check(fopen('result.json', 'rb')),
    'file-in-the-middle' => fn() => check(standing('prefixed.json', 10)),
    'temporary-file' => fn() => check(memory($data, 'php://temp')),
    'file-object' => fn() => check(object($data)),
    'not-a-number' => fn() => check([$data], ['maxAge' => NAN]),
    'long-text' => fn() => check(str_repeat('xyz', 9_000)),
    'absent-text' => fn() => check([$data], ['userId' => 'null']),
    'stream' => fn() => check(memory($data)),
    'pieces' => fn() => check((fn() => yield from str_split($data, 999))()),
    'psr7' => fn() => check(new Stream($data)),
    'gzip' => fn() => check('compress.zlib://result.json.gz'),
    'pipe' => fn() => check(popen('cat result.json', 'r')),
    'text-document' => fn() => check($data),
    'nothing' => fn() => check(null),
    'other-type' => fn() => check(5),
    'other-piece' => fn() => check([5]),
    'no-file' => fn() => check('absent.json'),
    'consumed' => fn() => check(standing('result.json', 1 << 24)),
    'empty' => fn() => check(['']),
    'given-length' => fn() => givenLength($data),
    'given-length-sent' => fn() => given([$data], strlen($data), 'echo'),
    'given-too-much' => fn() => given(memory($data), strlen($data) + 1, 'echo'),
    'given-nothing' => fn() => given(memory($data), 0),
    'not-a-length' => fn() => given([$data], -1),
    'half' => fn() => check([substr($data, 0, intdiv(strlen($data), 2))]),
    'length' => fn() => check('result.json', [], 'echo'),
    'chunks' => fn() => check([$data], [], 'echo'),
    'absent' => fn() => check([$data], ['userId' => null], 'echo'),
    'number' => fn() => check([$data], ['orderNo' => 'ord1', 'maxAge' => 600, 'plain' => true], 'echo'),
    'iv' => fn() => check([$data], ['orderNo' => 'ord1', 'iv' => '30aB'], 'echo'),
    'not-an-iv' => fn() => check([$data], ['orderNo' => 'ord1', 'iv' => "30\r\nA: b"], 'echo'),
    'characters' => fn() => check([$data], ['orderNo' => 'a b+c&d=é%'], 'echo'),
    'not-utf8' => fn() => check([$data], ['userId' => "\x80"]),
    'other-parameter' => fn() => check([$data], ['userId' => ['a']]),
    'retry-after' => fn() => busy(fn($error) => $error),
    'carried' => fn() => busy(fn($error) => unserialize(serialize((new LogicException('wrapped', 0, $error))->getPrevious()))),
    'html' => fn() => check([$data], [], 'html'),
    'early' => fn() => check(long(), [], 'early'),
    'leftover' => fn() => opened('left'),
    'exists' => fn() => existing(),
    'dead-source' => fn() => check(dying($data)),
    'shrinks' => fn() => check('shrinks', [], 'shrinks'),
    'grows' => fn() => check('grows', [], 'grows'),
    'no-socket' => fn() => check([$data], [], 'nobody'),
    'no-listener' => fn() => check([$data], [], 'dead'),
    'verify-not-utf8' => fn() => json_encode(at('evidence')->verify('front-end-result', 'x', ['orderNo' => "\x80"])),
    'no-folder' => fn() => opened('nowhere/video'),
    'long-socket' => fn() => check([$data], [], str_repeat('/long', 40)),
    'silent' => fn() => at('silent', 1)->check([$data], ['orderNo' => 'ord1']),
];
foreach ($rows as $name => $row) {
    $begun = microtime(true);
    try { $outcome = $row(); } catch (EvidenceProblem $error) {
        $outcome = $error->document['code'] ?? $error->status;
    } catch (Throwable $error) { $outcome = 'refused: ' . $error->getMessage(); }
    echo $name, ' ', microtime(true) - $begun < 60 ? $outcome : 'late', "\n";
}
