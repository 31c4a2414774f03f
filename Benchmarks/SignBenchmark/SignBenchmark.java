// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** Verifications of a front-end result in a second: what an integrator writes in Java. Java 17 or later. */
public class SignBenchmark {
    static final String TICKET = "duSz9ptwyW1Xn7r6gYItxz3feMdJ8Na5x7JZuoxurE7RcI5TdwCE4KT2eEeNNDoe";
    static final Pattern APP = Pattern.compile("[0-9A-Za-z]{1,8}");
    static final Pattern ORDER = Pattern.compile("[0-9A-Za-z]{1,32}");
    static final Pattern CODE = Pattern.compile("0|-?[1-9][0-9]{0,9}");
    static final Pattern SIGN = Pattern.compile("[0-9A-Fa-f]{40}");
    static final HexFormat HEX = HexFormat.of();

    static byte[] digest(String app, String order, String code) throws Exception {
        List<String> values = new ArrayList<>(List.of(app, order, code, TICKET));
        Collections.sort(values);
        StringBuilder joined = new StringBuilder();
        for (String value : values) joined.append(value);
        return MessageDigest.getInstance("SHA-1").digest(joined.toString().getBytes(StandardCharsets.UTF_8));
    }

    static boolean verify(String app, String order, String code, String sign) throws Exception {
        return APP.matcher(app).matches() && ORDER.matcher(order).matches() && CODE.matcher(code).matches()
            && SIGN.matcher(sign).matches() && MessageDigest.isEqual(digest(app, order, code), HEX.parseHex(sign));
    }

    public static void main(String[] arguments) throws Exception {
        int count = 1000;
        String[] orders = new String[count];
        String[] signs = new String[count];
        for (int i = 0; i < count; i++) {
            orders[i] = "test" + (1480921551481L + i);
            signs[i] = HEX.withUpperCase().formatHex(digest("appId001", orders[i], "0"));
        }
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 1000; round++) {
            long start = System.nanoTime();
            int valid = 0;
            for (int i = 0; i < count; i++) if (verify("appId001", orders[i], "0", signs[i])) valid++;
            if (valid != count) throw new IllegalStateException();
            best = Math.min(best, System.nanoTime() - start);
        }
        System.out.println("java\t" + count * 1_000_000_000L / best);
    }
}
