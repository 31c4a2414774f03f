// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;

/** A route of Spring. An InputStream is the body as it arrives; a filter that reads it, such as one that logs, leaves nothing. */
@RestController
public class ResultController {
    private final EvidenceService service =
        new EvidenceService(Path.of(System.getenv().getOrDefault("EVIDENCE_SOCKET", "/run/evidence/evidence.sock")));

    @RequestMapping(value = "/orders/{order}/result", method = RequestMethod.POST)
    public ResponseEntity<String> check(@PathVariable("order") String order, InputStream body) throws IOException {
        try {
            // The user is that of your session.
            String report = service.check(body, Map.of("orderNo", order, "userId", "u-1"));
            return ResponseEntity.ok("{\"passed\":" + report.contains("\"verdict\":\"holds\"") + "}");
        } catch (EvidenceService.Problem problem) {
            var answer = ResponseEntity.status(problem.status < 500 ? problem.status : 502);
            if (problem.retryAfter >= 0) answer.header("Retry-After", "" + problem.retryAfter);
            return answer.body("{\"code\":\"" + problem.code + "\"}");
        }
    }
}
