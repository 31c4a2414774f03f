// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;

/**
 * A client of evidence-service in one file, for Java 17 and later, without dependencies. JSON comes as text.
 *
 * <pre>{@code
 * var service = new EvidenceService(Path.of("/run/evidence/evidence.sock"));
 * service.open(Path.of("payload.json"), Path.of("video.mp4"), Map.of("orderNo", "ord1"));
 * String report = service.check(Path.of("result.json"), Map.of("orderNo", "ord1"));
 * }</pre>
 */
public final class EvidenceService {
    /** What the service refused; the document has a code for programs. */
    public static final class Problem extends IOException {
        private static final long serialVersionUID = 1;
        public final int status;
        public final String document;

        Problem(int status, String document) { super(status + " " + document); this.status = status; this.document = document; }
    }

    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "evidence-timeouts");
        thread.setDaemon(true);
        return thread;
    });
    private final Path socket;
    private final long seconds;

    public EvidenceService(Path socket) { this(socket, 60); }

    public EvidenceService(Path socket, long seconds) { this.socket = socket; this.seconds = seconds; }

    /** Opens the video of a payload into a new file: whole, or not at all. */
    public void open(Path payload, Path destination, Map<String, String> query) throws IOException {
        Path part = destination.resolveSibling(destination.getFileName() + ".part");
        var owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var output = Files.newByteChannel(part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), owner);
                var input = Files.newInputStream(payload)) {
            request("open", input, Files.size(payload), query, Channels.newOutputStream(output));
            Files.createLink(destination, part);
        } finally { Files.deleteIfExists(part); }
    }

    /** The report of a result. Look at its verdict: only "holds" is yes. */
    public String check(Path result, Map<String, String> query) throws IOException {
        var answer = new ByteArrayOutputStream();
        try (var input = Files.newInputStream(result)) { request("check", input, Files.size(result), query, answer); }
        return answer.toString(StandardCharsets.UTF_8);
    }

    /** Body: {"recipe": …, "sign": …, "values": {…}}. */
    public String verify(String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        var answer = new ByteArrayOutputStream();
        request("verify", new ByteArrayInputStream(bytes), bytes.length, Map.of(), answer);
        return answer.toString(StandardCharsets.UTF_8);
    }

    private void request(String operation, InputStream body, long size, Map<String, String> query, OutputStream output) throws IOException {
        var text = new StringJoiner("&");
        query.forEach((name, value) -> text.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20")));
        String head = "POST /v1/" + operation + "?" + text + " HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\nContent-Length: " + size + "\r\n\r\n";
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            // A SocketChannel has no read timeout: closing it ends every wait.
            var limit = TIMER.schedule(() -> end(channel), seconds, TimeUnit.SECONDS);
            try {
                send(channel, head.getBytes(StandardCharsets.US_ASCII), head.length());
                byte[] piece = new byte[1 << 16];
                for (int count; (count = body.read(piece)) > 0;) send(channel, piece, count);
            } catch (ClosedChannelException timeout) { throw timeout;
            } catch (IOException refused) { /* Before all of it was sent; the answer says why. */ }
            try { take(new BufferedInputStream(Channels.newInputStream(channel), 1 << 16), output); } finally { limit.cancel(false); }
        }
    }

    private static Void end(SocketChannel channel) throws IOException {
        channel.close();
        return null;
    }

    private static void send(SocketChannel channel, byte[] bytes, int count) throws IOException {
        for (var buffer = ByteBuffer.wrap(bytes, 0, count); buffer.hasRemaining();) channel.write(buffer);
    }

    /** An answer that ends early is known by its length and its digest. */
    private static void take(InputStream input, OutputStream output) throws IOException {
        String first = line(input);
        if (!first.matches("HTTP/1\\.1 [0-9]{3}( .*)?")) throw new IOException("the answer is not HTTP/1.1");
        int status = Integer.parseInt(first.substring(9, 12));
        if (status == 100) { line(input); take(input, output); return; }
        var fields = new HashMap<String, String>();
        for (String line; !(line = line(input)).isEmpty();) {
            int colon = line.indexOf(':');
            if (colon < 0) throw new IOException("the answer has a header without a colon");
            fields.put(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
        }
        if (status != 200 && !fields.containsKey("repr-digest")) throw new Problem(status, "refused without a problem document");
        String length = fields.getOrDefault("content-length", "");
        if (!length.matches("[0-9]{1,18}")) throw new IOException("the answer has no Content-Length");
        var refused = new ByteArrayOutputStream();
        MessageDigest digest;
        try { digest = MessageDigest.getInstance("SHA-256"); } catch (NoSuchAlgorithmException none) { throw new IOException(none); }
        byte[] piece = new byte[1 << 16];
        long left = Long.parseLong(length);
        for (int count; left > 0 && (count = input.read(piece, 0, (int) Math.min(left, piece.length))) > 0; left -= count) {
            digest.update(piece, 0, count);
            (status == 200 ? output : refused).write(piece, 0, count);
        }
        String found = "sha-256=:" + Base64.getEncoder().encodeToString(digest.digest()) + ":";
        if (left > 0 || !found.equals(fields.get("repr-digest"))) throw new EOFException("the answer was cut off");
        if (status != 200) throw new Problem(status, refused.toString(StandardCharsets.UTF_8));
    }

    private static String line(InputStream input) throws IOException {
        var line = new StringBuilder();
        for (int next; (next = input.read()) != '\n';) {
            if (next < 0 || line.length() > 8192) throw new EOFException("the answer was cut off");
            if (next != '\r') line.append((char) next);
        }
        return line.toString();
    }
}
