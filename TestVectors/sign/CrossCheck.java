// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/** Checks every line of random-order.txt with Java's own sorting, as the vendor's reference code has it. Java 17 or later. */
public class CrossCheck {
    public static void main(String[] arguments) throws Exception {
        List<String> lines = Files.readAllLines(Path.of(arguments[0]), StandardCharsets.US_ASCII);
        HexFormat hex = HexFormat.of();
        int wrong = 0;
        for (String line : lines) {
            String[] fields = line.split("\t", -1);
            List<String> values = new ArrayList<>();
            for (String value : fields[1].split(",", -1)) {
                values.add(new String(hex.parseHex(value), StandardCharsets.UTF_8));
            }
            values.add(fields[0]);
            values.removeAll(Collections.singleton(null));
            Collections.sort(values);
            StringBuilder joined = new StringBuilder();
            for (String value : values) joined.append(value);
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(joined.toString().getBytes(StandardCharsets.UTF_8));
            if (!hex.withUpperCase().formatHex(digest).equals(fields[2])) wrong++;
        }
        System.out.println(lines.size() + " lines, " + wrong + " wrong");
        if (wrong > 0 || lines.isEmpty()) System.exit(1);
    }
}
