<?php
// SPDX-License-Identifier: Apache-2.0
// What PHP, Symfony and PSR-7 give, sent on: a page of PHP's own server.
declare(strict_types=1);
require getenv('EVIDENCE_CLIENTS') . '/EvidenceService.php';
foreach (['Symfony/Component/HttpFoundation', 'GuzzleHttp/Psr7'] as $package) require_once "/usr/share/php/$package/autoload.php";

use GuzzleHttp\Psr7\ServerRequest;
use Symfony\Component\HttpFoundation\Request;

set_error_handler(function (int $level, string $message) { if (error_reporting() & $level) throw new ErrorException($message); });
[, $way, $order] = explode('/', $_SERVER['REQUEST_URI']);
$length = null;
$document = match ($way) {
    'path' => 'php://input',
    'stream' => fopen('php://input', 'rb'),
    'length' => fopen('php://input', 'rb'),
    'bytes' => [file_get_contents('php://input')],
    'symfony' => Request::createFromGlobals()->getContent(true),
    'symfony-bytes' => [Request::createFromGlobals()->getContent()],
    'psr7' => ServerRequest::fromGlobals(),
    'psr7-body' => ServerRequest::fromGlobals()->getBody(),
    'file' => $_FILES['result']['tmp_name'],
    'file-symfony' => Request::createFromGlobals()->files->get('result'),
    'file-psr7' => ServerRequest::fromGlobals()->getUploadedFiles()['result'],
};
if ($way === 'length') $length = (int) $_SERVER['CONTENT_LENGTH'];
header('Content-Type: application/json');
try {
    $report = (new EvidenceService(getenv('EVIDENCE_SOCKET')))->check($document, ['orderNo' => $order, 'userId' => 'u-1'], $length);
    echo json_encode(['passed' => $report['verdict'] === 'holds']);
} catch (EvidenceProblem $problem) {
    http_response_code($problem->status);
    echo json_encode(['code' => $problem->document['code'] ?? null]);
}
