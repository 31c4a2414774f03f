// SPDX-License-Identifier: Apache-2.0
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.SecureRandom;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.OAEPParameterSpec;
import javax.crypto.spec.PSource;
import javax.crypto.spec.SecretKeySpec;

/** The presets of docs/PROFILES.md with nothing but the JDK's own cryptography, as a Java backend has them. */
class Envelope {
    static final byte[] CALLER_IV = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    static final SecureRandom RANDOM = new SecureRandom();

    /** seal PUBLIC VIDEO OUT PROFILE… writes OUT/PROFILE.json; open KEY FOLDER PROFILE… writes FOLDER/PROFILE.out. */
    public static void main(String[] words) throws Exception {
        boolean seals = words[0].equals("seal");
        for (int i = seals ? 4 : 3; i < words.length; i++) {
            if (seals) {
                Files.writeString(Path.of(words[3], words[i] + ".json"),
                    seal(words[i], publicKey(words[1]), Files.readAllBytes(Path.of(words[2]))));
            } else {
                Files.write(Path.of(words[2], words[i] + ".out"),
                    open(words[i], privateKey(words[1]), Files.readString(Path.of(words[2], words[i] + ".json"))));
            }
        }
    }

    static Cipher rsa(String profile, int mode, java.security.Key key) throws Exception {
        // The plain name of java-default means SHA-1 inside MGF1: that is what the profile is about.
        if (profile.equals("java-default") || profile.equals("evidence-v1")) {
            Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");
            if (profile.equals("java-default")) {
                cipher.init(mode, key);
            } else {
                cipher.init(mode, key, new OAEPParameterSpec(
                    "SHA-256", "MGF1", MGF1ParameterSpec.SHA256, PSource.PSpecified.DEFAULT));
            }
            return cipher;
        }
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(mode, key);
        return cipher;
    }

    static Cipher aes(String profile, int mode, byte[] key, byte[] iv, String order) throws Exception {
        SecretKeySpec spec = new SecretKeySpec(key, "AES");
        if (profile.equals("zoloz")) {
            Cipher cipher = Cipher.getInstance("AES");
            cipher.init(mode, spec);
            return cipher;
        }
        if (iv.length == 16) {
            Cipher cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
            cipher.init(mode, spec, new IvParameterSpec(iv));
            return cipher;
        }
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, spec, new GCMParameterSpec(128, iv));
        if (profile.equals("evidence-v1")) {
            cipher.updateAAD(("evidence-v1\nuserVideoString\n" + order + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        return cipher;
    }

    static String seal(String profile, RSAPublicKey recipient, byte[] video) throws Exception {
        boolean isGCM = profile.equals("java-default") || profile.equals("evidence-v1");
        byte[] key = new byte[32];
        RANDOM.nextBytes(key);
        if (profile.equals("tencent-faceid") || profile.equals("wbface-simple")) {
            for (int i = 0; i < key.length; i++) key[i] = (byte) ('a' + RANDOM.nextInt(26));
        }
        byte[] iv = new byte[isGCM ? 12 : 16];
        RANDOM.nextBytes(iv);
        if (profile.equals("wbface-simple")) iv = CALLER_IV;
        byte[] sealed = aes(profile, Cipher.ENCRYPT_MODE, key, iv, "ord1").doFinal(video);
        if (isGCM) {
            byte[] both = new byte[iv.length + sealed.length];
            System.arraycopy(iv, 0, both, 0, iv.length);
            System.arraycopy(sealed, 0, both, iv.length, sealed.length);
            sealed = both;
        }
        String wrapped = text(rsa(profile, Cipher.ENCRYPT_MODE, recipient).doFinal(key));
        String ivField = profile.equals("tencent-faceid") ? ",\"Iv\":\"" + text(iv) + "\"" : "";
        // In the vendor's order: what opens comes after what is opened.
        return "{\"userVideoString\":\"" + text(sealed) + "\",\"videoEncryptAESKey\":\"" + wrapped
            + "\",\"orderNo\":\"ord1\"" + ivField + "}\n";
    }

    static byte[] open(String profile, RSAPrivateKey key, String payload) throws Exception {
        boolean isGCM = profile.equals("java-default") || profile.equals("evidence-v1");
        byte[] contentKey = rsa(profile, Cipher.DECRYPT_MODE, key).doFinal(field(payload, "videoEncryptAESKey"));
        byte[] sealed = field(payload, "userVideoString");
        byte[] iv = profile.equals("tencent-faceid") ? field(payload, "Iv") : CALLER_IV;
        int start = 0;
        if (isGCM) {
            iv = java.util.Arrays.copyOf(sealed, 12);
            start = 12;
        }
        Matcher order = Pattern.compile("\"orderNo\":\"(\\w+)\"").matcher(payload);
        return aes(profile, Cipher.DECRYPT_MODE, contentKey, iv, order.find() ? order.group(1) : "")
            .doFinal(sealed, start, sealed.length - start);
    }

    static byte[] field(String payload, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*+)\"").matcher(payload);
        if (!matcher.find()) throw new IllegalArgumentException(name);
        return Base64.getDecoder().decode(matcher.group(1));
    }

    static String text(byte[] bytes) {
        return Base64.getEncoder().encodeToString(bytes);
    }

    static byte[] der(String file) throws Exception {
        return Base64.getMimeDecoder().decode(Files.readString(Path.of(file)).replaceAll("-----[^-]*-----", ""));
    }

    static RSAPublicKey publicKey(String file) throws Exception {
        return (RSAPublicKey) KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(der(file)));
    }

    static RSAPrivateKey privateKey(String file) throws Exception {
        return (RSAPrivateKey) KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(der(file)));
    }
}
