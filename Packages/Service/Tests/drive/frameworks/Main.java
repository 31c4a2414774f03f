// SPDX-License-Identifier: Apache-2.0
// What the server of the JDK gives, sent on: Main SOCKET PORT.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.Map;
import java.util.concurrent.Executors;

public class Main {
    private static EvidenceService service;

    private static String check(String way, HttpExchange exchange, Map<String, ?> query) throws IOException {
        var body = exchange.getRequestBody();
        switch (way) {
            case "stream": return service.check(body, query);
            case "bytes": return service.check(body.readAllBytes(), query);
            case "buffer": return service.check(EvidenceService.Document.of(ByteBuffer.wrap(body.readAllBytes())), query);
            case "length":
                String length = exchange.getRequestHeaders().getFirst("Content-Length");
                return service.check(EvidenceService.Document.of(body, length == null ? -1 : Long.parseLong(length)), query);
            case "saved-path":
                Path kept = Files.createTempFile("result", ".json");
                try {
                    Files.copy(body, kept, StandardCopyOption.REPLACE_EXISTING);
                    return service.check(kept, query);
                } finally { Files.delete(kept); }
            default: throw new IOException("no such way: " + way);
        }
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String[] words = exchange.getRequestURI().getPath().split("/");
        int status = 200;
        String text;
        try {
            String report = check(words[1], exchange, Map.of("orderNo", words[2], "userId", "u-1"));
            text = "{\"passed\":" + report.contains("\"verdict\":\"holds\"") + "}";
        } catch (EvidenceService.Problem problem) {
            status = problem.status;
            text = "{\"code\":\"" + problem.code + "\"}";
        }
        exchange.sendResponseHeaders(status, text.length());
        exchange.getResponseBody().write(text.getBytes());
        exchange.close();
    }

    public static void main(String[] words) throws IOException {
        service = new EvidenceService(Path.of(words[0]));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(words[1])), 0);
        server.createContext("/", Main::answer);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }
}
