// SPDX-License-Identifier: Apache-2.0
// java Gists.java, beside clip.mp4 and pub.pem
import javax.crypto.*;import javax.crypto.spec.*;import java.security.*;import java.security.spec.*;import java.nio.file.*;import java.util.*;
public class Gists {public static void main(String[] a)throws Exception{byte[] v=Files.readAllBytes(Path.of("clip.mp4"));
String p=Files.readString(Path.of("pub.pem")).replaceAll("-----.*?-----","").replaceAll("\\s","");
PublicKey pub=KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(p)));
byte[] k=new byte[16];SecureRandom r=new SecureRandom();r.nextBytes(k);
// Apple Pay RSA_v1: OAEP SHA-256 as the JCA names it, AES-128-GCM under 16 zero bytes
Cipher w=Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");w.init(Cipher.ENCRYPT_MODE,pub);byte[] wk=w.doFinal(k);
Cipher c=Cipher.getInstance("AES/GCM/NoPadding");c.init(Cipher.ENCRYPT_MODE,new SecretKeySpec(k,"AES"),new GCMParameterSpec(128,new byte[16]));
w("java-apple",wk,c.doFinal(v));
// old Android: "RSA" is no padding there
w=Cipher.getInstance("RSA/ECB/NoPadding");w.init(Cipher.ENCRYPT_MODE,pub);
// the iv in front, NoPadding after filling up
byte[] iv=new byte[16];r.nextBytes(iv);c=Cipher.getInstance("AES/CBC/NoPadding");c.init(Cipher.ENCRYPT_MODE,new SecretKeySpec(k,"AES"),new IvParameterSpec(iv));
byte[] z=Arrays.copyOf(v,(v.length+15)/16*16);byte[] ct=c.doFinal(z);byte[] all=new byte[16+ct.length];System.arraycopy(iv,0,all,0,16);System.arraycopy(ct,0,all,16,ct.length);
w("java-bare",w.doFinal(k),all);}
static void w(String n,byte[] k,byte[] c)throws Exception{Base64.Encoder e=Base64.getEncoder();Files.writeString(Path.of(n+".json"),"{\"orderNo\":\"o1\",\"videoEncryptAESKey\":\""+e.encodeToString(k)+"\",\"userVideoString\":\""+e.encodeToString(c)+"\"}");}}
