// SPDX-License-Identifier: Apache-2.0
// The rows of client-behaviour.ndjson in Java: Main FOLDER.
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

public class Main {
    private static Path folder;
    private static byte[] data;

    private static EvidenceService at(String name, long seconds) { return new EvidenceService(folder.resolve(name + ".sock"), seconds); }

    private static String check(EvidenceService.Document body, Map<String, ?> more, String name) throws IOException {
        var query = new LinkedHashMap<String, Object>(Map.of("orderNo", "ord1"));
        query.putAll(more);
        var match = Pattern.compile("\"verdict\":\\s*\"([^\"]*)\"").matcher(at(name, 20).check(body, query));
        return match.find() ? match.group(1) : "no verdict";
    }

    private static String check(EvidenceService.Document body) throws IOException { return check(body, Map.of(), "evidence"); }
    private static EvidenceService.Document bytes(byte[] bytes) { return EvidenceService.Document.of(bytes); }
    private static EvidenceService.Document stream(InputStream stream) { return EvidenceService.Document.of(stream); }
    private static EvidenceService.Document given(byte[] bytes, long length) {
        return EvidenceService.Document.of(new ByteArrayInputStream(bytes), length);
    }
    private static EvidenceService.Document file(String name) { return EvidenceService.Document.of(folder.resolve(name)); }

    private static String opened(String name) throws IOException {
        at("evidence", 20).open(folder.resolve("payload.json"), folder.resolve(name), Map.of("orderNo", "ord1"));
        return "opened";
    }

    private static String exists() throws IOException {
        Files.writeString(folder.resolve("taken"), "before");
        try { return opened("taken"); } catch (FileAlreadyExistsException error) {
            return Files.readString(folder.resolve("taken")).equals("before") ? "kept" : "lost";
        }
    }

    private static String busy(boolean carried) throws Exception {
        try { return check(bytes(data), Map.of(), "busy"); } catch (EvidenceService.Problem problem) {
            if (carried) {
                var bytes = new ByteArrayOutputStream();
                try (var output = new ObjectOutputStream(bytes)) { output.writeObject(new RuntimeException("wrapped", problem)); }
                try (var input = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                    problem = (EvidenceService.Problem) ((Exception) input.readObject()).getCause();
                }
            }
            return problem.code + " " + problem.retryAfter;
        }
    }

    private static String many() throws Exception {
        var service = at("evidence", 20);
        var pool = Executors.newFixedThreadPool(20);
        Callable<String> check = () -> service.check(bytes(data), Map.of("orderNo", "ord1"));
        var reports = pool.invokeAll(Collections.nCopies(20, check));
        int count = 0;
        for (var report : reports) if (report.get().contains("\"verdict\":\"holds\"")) count++;
        pool.shutdown();
        return "holds " + count;
    }

    private static String interrupted() throws IOException {
        Thread.currentThread().interrupt();
        try { return at("silent", 5).check(bytes(data), Map.of()); } finally { Thread.interrupted(); }
    }

    private static String givenLength() throws IOException {
        var stream = new SequenceInputStream(new ByteArrayInputStream(data), new ByteArrayInputStream("more".getBytes()));
        String verdict = check(EvidenceService.Document.of(stream, data.length));
        return new String(stream.readAllBytes()).equals("more") ? verdict : "the rest is gone";
    }

    private static String shortly() throws IOException {
        var query = Map.of("orderNo", "ord1");
        var service = at("evidence", 20);
        for (String report : List.of(service.check(data, query), service.check(new ByteArrayInputStream(data), query))) {
            if (!report.contains("\"verdict\":\"holds\"")) return report;
        }
        return check(bytes(data));
    }

    private static InputStream standing(String name, long count) throws IOException {
        var stream = new FileInputStream(folder.resolve(name).toFile());
        stream.readNBytes((int) count);
        return stream;
    }

    private static final class Long extends InputStream {
        private int left = 20_000_000;
        @Override public int read() { return left-- > 0 ? 0 : -1; }
    }

    private static final class Dying extends InputStream {
        private int count;
        @Override public int read() throws IOException {
            if (count == 5) throw new IOException("the disk is gone");
            return data[count++];
        }
    }

    public static void main(String[] words) throws Exception {
        folder = Path.of(words[0]);
        data = Files.readAllBytes(folder.resolve("result.json"));
        var rows = new LinkedHashMap<String, Callable<String>>();
        rows.put("bytes", () -> shortly());
        rows.put("given-length", () -> givenLength());
        rows.put("given-length-sent", () -> check(given(data, data.length), Map.of(), "echo"));
        rows.put("given-too-much", () -> check(given(data, data.length + 1), Map.of(), "echo"));
        rows.put("given-nothing", () -> check(given(data, 0)));
        rows.put("no-length", () -> check(given(data, -1), Map.of(), "echo"));
        rows.put("mutable-bytes", () -> check(EvidenceService.Document.of(
            ByteBuffer.allocateDirect(data.length + 9).position(4).put(data).flip().position(4))));
        rows.put("path-object", () -> check(file("result.json")));
        rows.put("file", () -> check(EvidenceService.Document.of(folder.resolve("result.json").toFile())));
        rows.put("file-in-the-middle", () -> check(stream(standing("prefixed.json", 10))));
        rows.put("stream", () -> check(stream(new ByteArrayInputStream(data))));
        rows.put("gzip", () -> check(stream(new GZIPInputStream(standing("result.json.gz", 0)))));
        rows.put("pipe", () -> check(stream(new ProcessBuilder("cat", folder.resolve("result.json").toString()).start().getInputStream())));
        rows.put("text-document", () -> check(EvidenceService.Document.of(new String(data, "UTF-8"))));
        rows.put("nothing", () -> check(stream(null)));
        rows.put("no-file", () -> check(file("absent.json")));
        rows.put("consumed", () -> check(stream(standing("result.json", 1 << 24))));
        rows.put("empty", () -> check(bytes(new byte[0])));
        rows.put("half", () -> check(bytes(Arrays.copyOf(data, data.length / 2))));
        rows.put("length", () -> check(file("result.json"), Map.of(), "echo"));
        rows.put("chunks", () -> check(stream(new ByteArrayInputStream(data)), Map.of(), "echo"));
        var absent = new HashMap<String, String>();
        absent.put("userId", null);
        rows.put("absent", () -> check(bytes(data), absent, "echo"));
        var numbers = new LinkedHashMap<String, Object>();
        numbers.put("maxAge", 600);
        numbers.put("plain", true);
        rows.put("number", () -> check(bytes(data), numbers, "echo"));
        rows.put("iv", () -> check(bytes(data), Map.of("iv", "30aB"), "echo"));
        rows.put("not-an-iv", () -> check(bytes(data), Map.of("iv", "30\r\nA: b"), "echo"));
        rows.put("characters", () -> check(bytes(data), Map.of("orderNo", "a b+c&d=\u00e9%"), "echo"));
        rows.put("not-utf8", () -> check(bytes(data), Map.of("userId", "\ud800"), "echo"));
        rows.put("other-parameter", () -> check(bytes(data), Map.of("userId", List.of("a")), "echo"));
        rows.put("not-a-number", () -> check(bytes(data), Map.of("maxAge", Double.NaN), "echo"));
        rows.put("absent-text", () -> check(bytes(data), Map.of("userId", "null"), "evidence"));
        rows.put("interrupted", () -> interrupted());
        rows.put("retry-after", () -> busy(false));
        rows.put("carried", () -> busy(true));
        rows.put("html", () -> check(bytes(data), Map.of(), "html"));
        rows.put("early", () -> check(stream(new Long()), Map.of(), "early"));
        rows.put("leftover", () -> opened("left"));
        rows.put("exists", () -> exists());
        rows.put("dead-source", () -> check(stream(new Dying())));
        rows.put("shrinks", () -> check(file("shrinks"), Map.of(), "shrinks"));
        rows.put("grows", () -> check(file("grows"), Map.of(), "grows"));
        rows.put("no-socket", () -> check(bytes(data), Map.of(), "nobody"));
        rows.put("no-listener", () -> check(bytes(data), Map.of(), "dead"));
        rows.put("verify-not-utf8", () -> at("evidence", 20).verify("{\"recipe\":\"front-end-result\",\"sign\":\"x\",\"values\":{\"orderNo\":\"\ud800\"}}"));
        rows.put("many-at-once", () -> many());
        rows.put("no-folder", () -> opened("nowhere/video"));
        rows.put("long-socket", () -> check(bytes(data), Map.of(), "/long".repeat(40)));
        rows.put("silent", () -> at("silent", 1).check(bytes(data), Map.of("orderNo", "ord1")));
        rows.forEach((name, row) -> {
            long begun = System.nanoTime();
            String outcome;
            try { outcome = row.call(); } catch (EvidenceService.Problem problem) {
                outcome = problem.code.isEmpty() ? "" + problem.status : problem.code;
            } catch (Exception error) { outcome = "refused: " + error.getMessage(); }
            System.out.println(name + " " + (System.nanoTime() - begun < 60_000_000_000L ? outcome : "late"));
        });
        System.exit(0);
    }
}
