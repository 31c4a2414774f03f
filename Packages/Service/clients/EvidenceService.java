// SPDX-License-Identifier: Apache-2.0
import java.io.*;
import java.net.*;
import java.nio.*;
import java.nio.channels.*;
import java.nio.charset.*;
import java.nio.file.*;
import java.security.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;

/**
 * A client of evidence-service in one file, for Java 17 and later, without dependencies. JSON comes as text.
 *
 * <pre>{@code
 * var service = new EvidenceService(Path.of("/run/evidence/evidence.sock"));
 * service.open(Document.of(Path.of("payload.json")), Path.of("video.mp4"), Map.of("orderNo", "ord1"));
 * String report = service.check(request.getInputStream(), Map.of("orderNo", "ord1", "userId", "u1"));
 * }</pre>
 *
 * A parameter is a text, a number or a Boolean; null is not sent. iv, in hexadecimal, is sent as a header: queries are logged.
 */
public final class EvidenceService {
    /** What the service refused; the code is for programs, and empty without a problem document. */
    public static final class Problem extends IOException {
        private static final long serialVersionUID = 2;
        public final int status;
        public final String document, code;
        /** In seconds; -1 if the service said none. */
        public final long retryAfter;

        Problem(int status, String document, long retryAfter) {
            super(status + " " + document);
            this.status = status;
            this.document = document;
            this.retryAfter = retryAfter;
            var match = Pattern.compile("\"code\":\\s*\"([a-z0-9-]+)\"").matcher(document);
            code = match.find() ? match.group(1) : "";
        }
    }

    /** A document to send. What is opened here is closed here; an InputStream of the caller's is not. */
    public static final class Document {
        /** With its length, where that is certain; else -1, and it is sent in chunks. */
        private record Opened(InputStream stream, long size) { }
        private interface Opening { Opened open() throws IOException; }

        private final Opening opening;

        private Document(Opening opening) { this.opening = opening; }

        /** A file. If it is a plain one, it must not change while it is sent. */
        public static Document of(Path file) {
            Objects.requireNonNull(file, "there is no document to send");
            return new Document(() -> {
                var channel = FileChannel.open(file);
                return new Opened(Channels.newInputStream(channel), Files.isRegularFile(file) ? channel.size() : -1);
            });
        }

        public static Document of(File file) { return of(file.toPath()); }

        /** The bytes between position and limit, which stay as they are. */
        public static Document of(ByteBuffer bytes) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return of(copy);
        }

        public static Document of(byte[] bytes) { return new Document(() -> new Opened(new ByteArrayInputStream(bytes), bytes.length)); }

        /** The document itself, not the path of one. */
        public static Document of(String text) { return of(utf8("the document", text)); }

        /** What is left of it, sent in chunks. */
        public static Document of(InputStream stream) { return of(stream, -1); }

        /** Its next bytes, as many as the length says, and no more is read; a negative length is one that is not known. */
        public static Document of(InputStream stream, long length) {
            Objects.requireNonNull(stream, "there is no document to send");
            return new Document(() -> new Opened(new Beginning(stream, length < 0 ? Long.MAX_VALUE : length), Math.max(length, -1)));
        }
    }

    /** The first bytes of a stream of the caller's, which stays open. */
    private static final class Beginning extends FilterInputStream {
        private long left;

        Beginning(InputStream stream, long left) { super(stream); this.left = left; }

        @Override public int read(byte[] bytes, int start, int room) throws IOException {
            if (left == 0) return -1;
            int count = super.read(bytes, start, (int) Math.min(room, left));
            left -= Math.max(count, 0);
            return count;
        }

        @Override public void close() { }
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
    public void open(Document payload, Path destination, Map<String, ?> query) throws IOException {
        // A name of its own, of mode 0600: what a killed run left is in nobody's way.
        Path folder = destination.toAbsolutePath().getParent();
        Path part = Files.createTempFile(folder, destination.getFileName() + ".", ".part");
        try (var output = FileChannel.open(part, StandardOpenOption.WRITE)) {
            request("open", payload, query, Channels.newOutputStream(output));
            output.force(true);
            Files.createLink(destination, part);
        } finally { Files.deleteIfExists(part); }
    }

    public void open(Path payload, Path destination, Map<String, ?> query) throws IOException { open(Document.of(payload), destination, query); }
    public void open(byte[] payload, Path destination, Map<String, ?> query) throws IOException { open(Document.of(payload), destination, query); }
    public void open(InputStream payload, Path destination, Map<String, ?> query) throws IOException { open(Document.of(payload), destination, query); }

    /**
     * The report of a result. Look at its verdict: only "holds" is yes. Under a profile without a tag, or with a padding other
     * than OAEP, it is a receipt without a verdict: extract makes a folder if everything holds.
     */
    public String check(Document result, Map<String, ?> query) throws IOException {
        var answer = new ByteArrayOutputStream();
        request("check", result, query, answer);
        return answer.toString(StandardCharsets.UTF_8);
    }

    public String check(Path result, Map<String, ?> query) throws IOException { return check(Document.of(result), query); }
    public String check(byte[] result, Map<String, ?> query) throws IOException { return check(Document.of(result), query); }
    public String check(InputStream result, Map<String, ?> query) throws IOException { return check(Document.of(result), query); }

    /** Body: {"recipe": …, "sign": …, "values": {…}}. */
    public String verify(String body) throws IOException {
        var answer = new ByteArrayOutputStream();
        request("verify", Document.of(body), Map.of(), answer);
        return answer.toString(StandardCharsets.UTF_8);
    }

    private void request(String operation, Document document, Map<String, ?> query, OutputStream output) throws IOException {
        var text = new StringJoiner("&");
        var iv = query.get("iv");
        if (iv != null && !(iv instanceof String digits && digits.matches("[0-9A-Fa-f]+"))) throw new IllegalArgumentException("iv must be hexadecimal digits");
        query.forEach((name, value) -> { if (value != null && !name.equals("iv")) text.add(name + "=" + encoded(name, value)); });
        Document.Opened opened = document.opening.open();
        long size = opened.size;
        try (var body = opened.stream; var channel = connect()) {
            String length = size < 0 ? "Transfer-Encoding: chunked" : "Content-Length: " + size;
            byte[] head = ("POST /v1/" + operation + "?" + text + " HTTP/1.1\r\nHost: evidence\r\nContent-Type: application/json\r\n"
                + (iv == null ? "" : "Evidence-IV: " + iv + "\r\n") + "Connection: close\r\n" + length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            // A SocketChannel has no read timeout: closing it ends every wait for the service.
            var limit = TIMER.schedule(() -> end(channel), seconds, TimeUnit.SECONDS);
            try {
                if (send(channel, head, head.length)) send(channel, body, size);
                take(new BufferedInputStream(Channels.newInputStream(channel), 1 << 16), output);
            } catch (ClosedByInterruptException interruption) {
                throw interrupted(interruption);
            } catch (ClosedChannelException closed) {
                throw (IOException) new SocketTimeoutException("evidence-service at " + socket + " did not answer within " + seconds + " s").initCause(closed);
            } finally { limit.cancel(false); }
        }
    }

    private static IOException interrupted(IOException cause) {
        return (IOException) new InterruptedIOException("interrupted before evidence-service answered").initCause(cause);
    }

    private SocketChannel connect() throws IOException {
        try { return SocketChannel.open(UnixDomainSocketAddress.of(socket)); } catch (ClosedByInterruptException interruption) {
            throw interrupted(interruption);
        } catch (IOException cause) {
            throw (IOException) new ConnectException("cannot reach evidence-service at " + socket + ": " + cause.getMessage()).initCause(cause);
        }
    }

    /** A fault of the source ends the request: without its end, the service answers nothing. */
    private static void send(SocketChannel channel, InputStream body, long size) throws IOException {
        byte[] piece = new byte[1 << 16];
        long left = size;
        for (int count; (count = body.read(piece)) >= 0; left -= count) {
            if (size >= 0 && count > left) throw new IOException("the document grew while it was sent");
            byte[] frame = piece;
            int length = count;
            if (size < 0 && count > 0) {
                var chunk = new ByteArrayOutputStream(count + 16);
                chunk.writeBytes((Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII));
                chunk.write(piece, 0, count);
                chunk.writeBytes(new byte[] {'\r', '\n'});
                frame = chunk.toByteArray();
                length = frame.length;
            }
            if (!send(channel, frame, length)) return;
        }
        if (size >= 0 && left > 0) throw new IOException("the document ended " + left + " bytes too early: it was cut off, or its length is another one");
        if (size < 0) send(channel, "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII), 5);
    }

    private static String encoded(String name, Object value) {
        boolean isFinite = !(value instanceof Double || value instanceof Float) || Double.isFinite(((Number) value).doubleValue());
        if (!isFinite) throw new IllegalArgumentException(name + " must be a finite number, not " + value);
        if (!(value instanceof CharSequence || value instanceof Number || value instanceof Boolean)) {
            throw new IllegalArgumentException(name + " must be a text, a number or a Boolean, not " + value.getClass().getName());
        }
        utf8(name, value.toString());
        return URLEncoder.encode(value.toString(), StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static byte[] utf8(String name, String text) {
        try {
            var bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] copy = new byte[bytes.remaining()];
            bytes.get(copy);
            return copy;
        } catch (CharacterCodingException fault) { throw new IllegalArgumentException(name + " is not text that UTF-8 can hold", fault); }
    }

    private static Void end(SocketChannel channel) throws IOException {
        channel.close();
        return null;
    }

    /** Whether it was sent: the service may refuse a request before all of it was, and its answer says why. */
    private static boolean send(SocketChannel channel, byte[] bytes, int count) throws ClosedChannelException {
        try {
            for (var buffer = ByteBuffer.wrap(bytes, 0, count); buffer.hasRemaining();) channel.write(buffer);
            return true;
        } catch (ClosedChannelException timeout) { throw timeout; } catch (IOException refused) { return false; }
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
        String after = fields.getOrDefault("retry-after", "");
        long retryAfter = after.matches("[0-9]{1,9}") ? Long.parseLong(after) : -1;
        if (status != 200 && !fields.containsKey("repr-digest")) throw new Problem(status, "refused without a problem document", retryAfter);
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
        if (status != 200) throw new Problem(status, refused.toString(StandardCharsets.UTF_8), retryAfter);
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
