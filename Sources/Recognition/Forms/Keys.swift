// SPDX-License-Identifier: Apache-2.0
extension KnownForm {
    /// Every block anew, in lines of 64: without line breaks that are written out, what stands before and behind the
    /// lines, and characters that base64 does not have; its header lines, whose blanks and commas mean something, with
    /// the empty line behind them. Of these, only the cipher and the IV differ, which has as many digits as its blocks
    /// need.
    private static let anew =
        #"perl -0777 -pe 's/\\+(u000[ad]|01[25]|x0[ad]|[rn])|\^M|_x000\w_|\r/\n/gi; "#
        + #"s/["\047]\s*[+.,;\\]?\s*["\047]/\n/g; "#
        + #"s/\xC2\xA0|\xE3\x80\x80/ /g; "#
        + #"while (/-----\s*BEGIN\s+([\w ]+?)\s*-----((?:(?!BEGIN ).)*?)-----\s*END/gis) "#
        + #"{ my ($l, $t, $h) = (uc $1, $2, ""); $l =~ tr/ //s; "#
        + #"$t =~ s/.*?DEK-Info:\s*(DES[^,]*,\w{16}|[^,]*,\w{32})"#
        + #"(\s*\n[ \t]*(?:[-#*+\/]{1,3}|\d{1,4}[:.)|]?)[ \t]*\n)?/"#
        + #"$h = "Proc-Type: 4,ENCRYPTED\nDEK-Info: $1\n\n"; ""/es; "#
        + #"$t =~ s/^(?:[ \t>|]+|(?:[-#*+\/]{1,3}|\d{1,4}[:.)|]?)[ \t]+(?=\S|\z))+//gm; "#
        + #"$t =~ tr#-_#+/#; $t =~ s/[^\w+\/=]//g; $t .= "=" x (-length($t) % 4); $t =~ s/.{1,64}/$&\n/g; "#
        + #"$o .= "-----BEGIN $l-----\n$h$t-----END $l-----\n" } $_ = $o' FILE > COPY"#
    private static let writeAnew = "write it anew: " + anew
    private static let rewritePEM = "export the key again, and keep the file as it is: PEM needs its line breaks"

    /// Of the forms below, those that are around a key that is read all the same.
    package static let acceptedAroundKeys: Set = ["key-in-json", "pem-escaped-lf", "pem-quoted"]
    /// What has to be done first to a file whose line breaks are written out, where a step goes by its lines.
    package static let writeLineBreaks = #"write its line breaks: perl -pe 's/(\\+r)?\\+n/\n/g' FILE > COPY"#
    /// Whether its step goes by the lines of a file.
    package var goesByLines: Bool { ["pem-with-blanks", "pem-indented", "pem-diff"].contains(id) }
    /// The same with another step before its own.
    package func behind(_ first: String) -> KnownForm {
        KnownForm(id, family, name, Recognised.chain([first, step].compactMap(\.self)))
    }

    /// PEM in which something was rewritten.
    package static let brokenKeys: [KnownForm] = [
        KnownForm(
            "key-in-json", .key, "JSON with a key in it (a service account's file?)",
            "take the key out: python3 -c 'import json,sys;v=[];d=json.load(sys.stdin,"
                + "object_hook=lambda o:v.extend(o.values()) or o);"
                + "v=[\"\\n\".join(map(str,x)) if isinstance(x,list) else str(x) for x in v+[d] "
                + "if not isinstance(x,dict)];"
                + "sys.stdout.write(sorted((x for x in v if \"-----BEGIN \" in x or x[:2]==\"MI\"),"
                + "key=lambda x:\"PRIVATE\" not in x)[0])' < FILE > COPY",
            .all([
                .text([#"{*"*-----BEGIN *"#, #"[*"*-----BEGIN *"#, #"{*"~:~"MI*"#]), .rule(.json),
            ])),
        KnownForm(
            "pem-hidden", .key, "a PEM with invisible characters in it (no-break spaces, byte-order marks)",
            writeAnew,
            .text(["*-----BEGIN\u{A0}*", "*-----BEGIN\u{3000}*"]),
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemHidden)])),
        KnownForm(
            "pem-indented", .key,
            "a PEM whose lines have something before them (indented, quoted, numbered, a list, a log's time)",
            "remove it: perl -pe "
                + #"'s/.*?(-----(BEGIN|END) [A-Z0-9 ]+-----|(Proc-Type|DEK-Info):.*).*/$1/ "#
                + #"or s/.*[^A-Za-z0-9+\/=\r\n]//' FILE > COPY"#,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemIndented)])),
        KnownForm(
            "pem-placeholder", .key, "a PEM with a placeholder in place of its lines",
            "put the key in its place: copy the file that the key tool wrote",
            .text([
                "*-----BEGIN *-----*${*}*", "*-----BEGIN *-----*{{*}}*", "*-----BEGIN *-----*<%*%>*",
                "*-----BEGIN *-----~MIIxx*", "*-----BEGIN *-----~MIIXX*", "*-----BEGIN *-----~MII??xxxx*",
                "*-----BEGIN *-----~xxx*", "*-----BEGIN *-----~XXX*", "*-----BEGIN *-----~（*",
                "*-----BEGIN *-----~<your*", "*-----BEGIN *-----~<YOUR*", "*-----BEGIN *-----~<key*",
                "*-----BEGIN *-----~[@*]*", "*-----BEGIN *-----~YOUR*", "*-----BEGIN *-----~your*",
                "*-----BEGIN *-----~{*}~-----END *", "*-----BEGIN *-----~%@~-----END *",
                "*-----BEGIN *-----~$@~-----END *",
            ])),
        KnownForm(
            "pem-shortened", .key, "a PEM that was shortened or masked to be shown",
            "copy the key's own file: what is not shown cannot be had back",
            .text([
                "*-----BEGIN *-----*...*-----END *", "*-----BEGIN *-----*…*-----END *",
                "*-----BEGIN *-----*\\*\\*\\**-----END *", "*-----BEGIN *-----*•••*-----END *",
                "*-----BEGIN *-----*[truncated]*", "*-----BEGIN *-----*<redacted>*", "*-----BEGIN *-----*[REDACTED]*",
            ])),
        KnownForm(
            "pem-shown-ends", .key,
            "a PEM whose line ends were made visible, as cat -A and Excel show them ($, ^M, _x000D_)",
            writeAnew,
            .text([
                "*-----BEGIN *-----$\n*", "*-----BEGIN *-----\\^M*", "*-----BEGIN *-----$\r\n*",
                "*-----BEGIN *-----_x000*_*",
            ])),
        KnownForm(
            "pem-no-label", .key, "a PEM whose first or last line has no label (such as PRIVATE KEY)",
            "write DER: sed -e '/-----/d' FILE | base64 -d > COPY", .text(["*-----BEGIN~-----*", "*-----END~-----*"])),
        KnownForm(
            "pem-spaced-label", .key, "a PEM with blanks between the dashes and the words of its labels",
            writeAnew,
            .text([
                "*----- BEGIN *", "*-----BEGIN *KEY -----*", "*-----BEGIN *CERTIFICATE -----*", "*-----BEGIN  *",
            ])),
        KnownForm(
            "pem-in-parts", .key, "the source of a program that makes a PEM of several parts",
            "have the program write the PEM to a file, and use that",
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemOfParts)])),
        KnownForm(
            "pem-in-code", .key, "a PEM in the quotation marks of a program's source, line by line",
            writeAnew, .all([.text(["*-----BEGIN *-----*"]), .rule(.pemInCode)])),
        KnownForm(
            "pem-escaped-cr", .key, #"a PEM whose line breaks were written as \r"#,
            writeAnew,
            .text([#"*-----BEGIN *-----\\r*"#])),
        KnownForm(
            "pem-slash-n", .key, "a PEM whose line breaks were written as /n",
            // Base64 may have these characters, too: its lines have 64.
            ##"write a copy with line breaks: perl -0777 -pe 's{(-----BEGIN [^-]+-----)(/r)?/n}{$1\n}g; "##
                + ##"s{(/r)?/n(-----END [^-]+-----)((/r)?/n)?}{\n$2\n}g; "##
                + ##"s{(/r)?/n(DEK-Info:[^/]+)(/r)?/n(/r)?/n}{\n$2\n\n}; s{([\w+/]{64})(/r)?/n}{$1\n}g' FILE > COPY; "##
                + "if that key is damaged, export it again",
            .text(["*-----BEGIN *-----/n*", "*-----BEGIN *-----/r*"])),
        KnownForm(
            "pem-escaped-lf", .key, #"a PEM whose line breaks were written as \n"#,
            writeAnew,
            .text([#"*-----BEGIN *-----\\n*"#, #"*-----BEGIN *-----\\\\n*"#])),
        KnownForm(
            "pem-escaped-code", .key, #"a PEM whose line breaks were written as \u000a, \012 or \x0a"#,
            writeAnew,
            .text([
                #"*-----BEGIN *-----\\u000*"#, #"*-----BEGIN *-----\\01*"#, #"*-----BEGIN *-----\\x0*"#,
            ])),
        KnownForm(
            "pem-cr", .key, "a PEM whose lines end in CR alone",
            writeAnew,
            .all([.text(["*-----BEGIN *-----\r*"]), .rule(.pemCR)])),
        KnownForm(
            "pem-bare-n", .key, "a PEM whose line breaks became the letter n: the backslash of \\n was lost",
            "write a copy with line breaks: perl -pe 's/(-----BEGIN [^-]+-----)n/$1\\n/; "
                + "s/n(-----END [^-]+-----)n?/\\n$1\\n/; "
                + "s/([\\w+\\/]{64})n/$1\\n/g' FILE > COPY; if that key is damaged, export it again",
            .all([.text(["*-----BEGIN *-----n*"]), .rule(.pemOnOneLine)])),
        KnownForm(
            "pem-percent", .key, "a URL-encoded PEM",
            "decode it once: python3 -c 'import sys,urllib.parse as u;t=sys.stdin.read();"
                + "sys.stdout.write((u.unquote_plus if \"BEGIN+\" in t else u.unquote)(t))' "
                + "< FILE > COPY",
            .text(["*-----BEGIN%20*", "*-----BEGIN+*-----*", "*%2D%2D%2D%2D%2DBEGIN*", "*-----BEGIN *-----%0*"])),
        KnownForm(
            "pem-html", .key, "a PEM with HTML inside",
            "copy the key from its file, not from a web page",
            .anyCase(["*-----begin *-----<br*", "*-----begin *-----&\\#*", "<p*-----begin *", "<pre*-----begin *"])),
        KnownForm(
            "pem-entities", .key, "a PEM with HTML's spelling of characters in its lines (&plus;, &#43;, &amp;)",
            "decode it: python3 -c 'import html,sys;sys.stdout.write(html.unescape(sys.stdin.read()))' < FILE > COPY",
            .text([
                "*-----BEGIN *-----*&plus;*", "*-----BEGIN *-----*&sol;*", "*-----BEGIN *-----*&equals;*",
                "*-----BEGIN *-----*&amp;*", "*-----BEGIN *-----*&\\#@;*", "*-----BEGIN *-----*&nbsp;*",
                "*&\\#@;BEGIN *",
                "*-----BEGIN *-----*&NewLine;*",
            ])),
        KnownForm(
            "pem-dashes", .key, "a PEM whose dashes were rewritten (by a text editor or a chat)",
            "a PEM line has five hyphens on each side; write them: perl -CSD -pe "
                + #"'s/^[-\s\x{2010}-\x{2015}\x{2212}\x{FF0D}]*(BEGIN|END) ([A-Z0-9 ]+?)"#
                + #"[-\s\x{2010}-\x{2015}\x{2212}\x{FF0D}]*$/-----$1 $2-----\n/' FILE > COPY"#,
            .rule(.pemDashCount),
            .text([
                "*\u{2013}BEGIN *", "*\u{2014}BEGIN *", "*\u{2014}-BEGIN *", "*\u{2013}-BEGIN *", "*\u{2212}BEGIN *",
                "*\u{FF0D}BEGIN *", "*\u{2011}BEGIN *", "*\u{2010}BEGIN *", "*\u{2015}BEGIN *", "BEGIN @ KEY*",
                "BEGIN @ @ KEY*",
                "*\u{2013}END *", "*\u{2014}END *", "*\u{2014}-END *", "*\u{2013}-END *", "*\u{2212}END *",
                "*\u{FF0D}END *", "*\u{2011}END *", "*\u{2010}END *", "*\u{2015}END *",
                "--BEGIN *",
                "--BEGIN @ *", "---BEGIN @ *", "----BEGIN *", "- BEGIN *", "*- - - - -BEGIN *", "BEGIN CERTIFICATE*",
            ])),
        KnownForm(
            "pem-diff", .key, "a PEM in a diff, with + before each line", "remove it: perl -pe 's/^\\+//' FILE > COPY",
            .text(["*-----BEGIN *-----\n+*\n+-----END *", "*-----BEGIN *-----\r\n+*\n+-----END *"])),
        KnownForm(
            "pem-lower", .key, "a PEM whose labels are not in capital letters",
            writeAnew,
            .text([
                "*-----begin @ key-----*-----end *", "*-----begin @ @ key-----*-----end *",
                "*-----begin certificate-----*-----end *", "*-----Begin @ Key-----*", "*-----Begin @ @ Key-----*",
                "*-----Begin Certificate-----*", "*-----begin @ KEY-----*", "*-----begin @ @ KEY-----*",
            ])),
        KnownForm(
            "pem-quoted-printable", .key, "a PEM in quoted-printable (of an e-mail)",
            "decode it: python3 -c 'import quopri,sys;quopri.decode(sys.stdin.buffer,sys.stdout.buffer)' < FILE > COPY",
            // The digits as they are, and as they are concealed.
            .text([
                "*-----BEGIN *-----*=3D\n*-----END *", "*-----BEGIN *-----*=3D\r\n*-----END *",
                "*-----BEGIN *-----*=0A\n*-----END *", "*-----BEGIN *-----*=0A\r\n*-----END *",
                "*-----BEGIN *-----=0D*-----END *", "*-----BEGIN *-----=0A*-----END *",
            ])),
        KnownForm(
            "pem-rtf", .key, "a PEM inside a document of a text processor (RTF)",
            "save it as plain text, or export the key again", .text([#"{\\rtf*-----BEGIN *"#])),
        KnownForm(
            "pem-separated", .key, "a PEM whose line breaks became other characters (; | , or a backslash)",
            writeAnew,
            .text([
                "*-----BEGIN *-----;*-----END *", "*-----BEGIN *-----|*-----END *", "*-----BEGIN *-----,*-----END *",
                "*-----BEGIN *-----\\\\\n*-----END *", "*-----BEGIN *-----\\\\\r\n*-----END *",
            ])),
        KnownForm(
            "pem-headers", .key,
            "an encrypted PEM whose header lines (Proc-Type, DEK-Info) are joined, or have no empty line of their own "
                + "behind them",
            writeAnew, .all([.text(["*-----BEGIN *-----*DEK-Info:*-----END *"]), .rule(.pemHeaders)])),
        KnownForm(
            "pem-with-blanks", .key, "a PEM with blanks inside its lines",
            "if a form or a URL turned every + into a blank, write them back: "
                + "perl -pe 's/ /+/g unless /-----|:/' FILE > COPY; otherwise export the key again",
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemWithBlanks)])),
        KnownForm(
            "pem-slashes", .key, "a PEM with a backslash before each slash (of JSON)",
            writeAnew,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemSlashes)])),
        KnownForm(
            "pem-hex", .key, "a PEM whose lines are hexadecimal digits, not base64",
            "write DER: sed -e '/-----/d' FILE | xxd -r -p > COPY",
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemHex)])),
        KnownForm(
            "pem-url-safe", .key, "a PEM whose lines are URL-safe base64",
            writeAnew,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemURLSafe)])),
        KnownForm(
            "pem-empty-lines", .key, "a PEM with empty lines in it",
            writeAnew,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemEmptyLines)])),
        KnownForm(
            "pem-unpadded", .key, "a PEM that has lost the = at the end of its base64",
            writeAnew,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemUnpadded)])),
        KnownForm(
            "pem-quoted", .key, "a PEM in quotation marks",
            writeAnew,
            .text([
                "\"*-----BEGIN *-----*\"*", "'*-----BEGIN *-----*'*", "@~=~\"*-----BEGIN *-----*\"*",
                "`*-----BEGIN *-----*`*", "“*-----BEGIN *-----*”*", "\"*-----BEGIN *",
            ])),
        KnownForm(
            "pem-wide", .key, "a PEM with full-width forms of characters in its lines (＋, ／, ＝)",
            "write them as ASCII has them: python3 -c 'import sys,unicodedata as u;"
                + "sys.stdout.write(u.normalize(\"NFKC\",sys.stdin.read()))' < FILE > COPY",
            .text(["*-----BEGIN *-----*＋*", "*-----BEGIN *-----*／*", "*-----BEGIN *-----*＝*"])),
        KnownForm(
            "pem-foreign", .key, "a PEM with other characters in its lines than those of base64",
            "copy the key's own file, or export it again: an editor, a chat or the reading of a picture changed it",
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemForeign)])),
        KnownForm(
            "pem-other-length", .key,
            "a PEM whose base64 has another length than its DER: it was cut off or changed",
            "copy its own file again, all of it",
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemOtherLength)])),
        KnownForm(
            "pem-joined", .key, "a PEM that lost the line break behind its first line, or before its last", writeAnew,
            .all([.text(["*-----BEGIN *-----*"]), .rule(.pemJoined)])),
    ]

    /// What a time-stamp service answers in JSON: not a key, though it begins like one.
    static let timeStampsInJSON: [KnownForm] = [
        KnownForm(
            "time-stamp-in-json", .timeStamp, "JSON with a time stamp in it, in base64",
            #"take it out: tr -d '\\' < FILE | grep -oE 'MII[A-Za-z0-9+/]{100,}=*' | head -1 | base64 -d > COPY"#,
            .text(["{*\"MII???ADAgEA*", "{*\"MII???YJKoZIhvcNAQcC*"]))
    ]

    private static let toPKCS8 = "convert a copy with: openssl pkey -in FILE -out COPY"

    /// What key tools write.
    static let keys: [KnownForm] = [
        KnownForm(
            "ssh2-public", .publicKey, "an SSH2 public key (RFC 4716)",
            "convert it with: ssh-keygen -i -f FILE > COPY.pub; ssh-keygen -e -m PKCS8 -f COPY.pub > COPY",
            .text(["---- BEGIN SSH2 PUBLIC KEY*"])),
        KnownForm(
            "ssh2-private", .key, "a private key of ssh.com's SSH2",
            "convert a copy with PuTTYgen, which exports it in OpenSSH's form",
            .text(["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY*"])),
        KnownForm(
            "openssh-private", .key, "a key in OpenSSH's own format",
            // ssh-keygen reads no other spelling of it than its own.
            "if it is an RSA key, convert a copy: (umask 77; \(anew)) && ssh-keygen -p -m PEM -f COPY",
            .text(["*-----BEGIN OPENSSH PRIVATE KEY-----*"])),
        KnownForm(
            "openssh-private-bytes", .key, "a key in OpenSSH's own format, without its base64",
            "encode it: (umask 77; (echo '-----BEGIN OPENSSH PRIVATE KEY-----'; base64 FILE; "
                + "echo '-----END OPENSSH PRIVATE KEY-----') > COPY)",
            .bytes(["6F70656E7373682D6B65792D763100"])),
        KnownForm(
            "openssh-private-bare", .key, "a key in OpenSSH's own format without its first and last line",
            "write them: (umask 77; (echo '-----BEGIN OPENSSH PRIVATE KEY-----'; "
                + "tr -d '\\r\\n' < FILE | fold -w 70; echo; echo '-----END OPENSSH PRIVATE KEY-----') > COPY)",
            .text(["b3BlbnNzaC1rZXktdjEA*"])),
        KnownForm(
            "kubernetes-secret", .key, "a secret of Kubernetes, whose values are in base64",
            // PRIVATE KEY, RSA PRIVATE KEY, ENCRYPTED or EC; any PEM; base64 or DER alone.
            "take the key out: (grep -oE 'LS0tLS1CRUdJTiB(QUkl|SU0EgUFJ|F)[A-Za-z0-9+/=]+' FILE || "
                + "grep -oE 'LS0tLS1CRUdJTiB[A-Za-z0-9+/=]+' FILE || "
                + "grep -oE '(TUlJ|MII)[A-Za-z0-9+/=]{100,}' FILE) | head -1 | base64 -d > COPY",
            .text(["apiVersion:*kind:~Secret*", "kind:~Secret*", "{*\"kind\"~:~\"Secret\"*"])),
        KnownForm(
            "jwk-base64", .key, "base64 of a JWK", fromBase64, .text(["eyJrdHkiOi*"])),
        KnownForm(
            "dotnet-base64", .key, "base64 of an RSA key in .NET's XML", fromBase64,
            .text(["PFJTQUtleVZhbHVl*"])),
        KnownForm(
            "openssh-certificate", .publicKey, "an OpenSSH certificate",
            "give the key that it certifies: ssh-keygen -e -m PKCS8 -f FILE > COPY",
            .text(["ssh-@-cert-v01\\@openssh.com *", "ecdsa-sha2-@-cert-v01\\@openssh.com *"])),
        KnownForm(
            "openssh-other", .publicKey, "an OpenSSH public key that is not of RSA (Ed25519, DSA or a security key)",
            "give an RSA key: no tool makes one of this",
            .text(["ssh-ed25519 *", "ssh-dss *", "ssh-ed448 *", "sk-ssh-*", "sk-ecdsa-sha2*", "AAAAC3NzaC1*"])),
        KnownForm(
            "openssh-bare", .publicKey, "an OpenSSH public key without its type before it",
            "convert it with: (printf 'ssh-rsa '; cat FILE) > COPY.pub; ssh-keygen -e -m PKCS8 -f COPY.pub > COPY",
            .text(["AAAAB3NzaC1*", "AAAAE2VjZHNh*"])),
        KnownForm(
            "openssh-public", .publicKey, "an OpenSSH public key",
            "convert it with: ssh-keygen -e -m PKCS8 -f FILE > COPY",
            .text(["ssh-rsa *", "ecdsa-sha2-nistp*", "rsa-sha2-*"])),
        KnownForm(
            "openssh-known-host", .publicKey, "a line of known_hosts or authorized_keys (an OpenSSH public key)",
            "keep the key alone, from ssh-… on, and convert it with: ssh-keygen -e -m PKCS8 -f FILE > COPY",
            .text([
                "@ ssh-rsa AAAA*", "@ ssh-ed25519 AAAA*", "*,@ ssh-* AAAA*", "|1|*= ssh-* AAAA*", "*\" ssh-* AAAA*",
                "restrict* ssh-* AAAA*", "no-@* ssh-* AAAA*", "@ ecdsa-sha2-* AAAA*",
            ])),
        KnownForm(
            "putty", .key, "a PuTTY private key (.ppk)",
            "convert it with: puttygen FILE -O private-openssh -o COPY; then ssh-keygen -p -m PKCS8 -f COPY",
            .text(["PuTTY-User-Key-File-*"])),
        KnownForm(
            "pgp-private", .key, "an OpenPGP private key", pgp, .text(["*-----BEGIN PGP PRIVATE KEY BLOCK-----*"])),
        KnownForm(
            "pgp-public", .publicKey, "an OpenPGP public key", pgp, .text(["*-----BEGIN PGP PUBLIC KEY BLOCK-----*"])),
        KnownForm(
            "pgp-message", .sealed, "an OpenPGP message", "open it: gpg --decrypt FILE",
            .text(["*-----BEGIN PGP MESSAGE*", "*-----BEGIN PGP SIGN*"])),
        KnownForm(
            "pgp-packet", .key, "an OpenPGP key or message in binary form",
            "look at it: gpg --list-packets FILE", .rule(.openPGP)),
        KnownForm(
            "jwk-secret", .key, "a JWK of a secret (oct), which is no RSA key",
            "ask for the JWK whose kty is RSA: what opens a payload is an RSA private key",
            .all([.text(["{*\"kty\"~:~\"oct\"*", "[*{*\"kty\"~:~\"oct\"*"]), .rule(.json)])),
        KnownForm(
            "jwk-set", .key, "a JWK set (JWKS)", jwk,
            .all([.text(["{*\"keys\"*\"kty\"*", "[*{*\"kty\"*"]), .rule(.json)])),
        KnownForm("jwk", .key, "a JWK", jwk + bareJWK, .all([.text(["{*\"kty\"*"]), .rule(.json)])),
        KnownForm(
            "tink-keyset", .key, "a keyset of Tink", "let Tink or the program that made it export PEM",
            .all([.text(["{*\"primaryKeyId\"*"]), .rule(.json)])),
        KnownForm(
            "dotnet-rsa", .key, "an RSA key in .NET's XML",
            "write PEM in PowerShell 7: $r=[Security.Cryptography.RSA]::Create(); "
                + "$r.FromXmlString((Get-Content -Raw FILE)); $r.ExportPkcs8PrivateKeyPem() "
                + "(ExportSubjectPublicKeyInfoPem() for a public key)",
            .anyCase([
                "<rsakeyvalue*", "<*:rsakeyvalue*", "<?xml*<rsakeyvalue*", "<!--*<rsakeyvalue*",
                "<keyvalue*<rsakeyvalue*", "<rsaparameters*", "<?xml*<rsaparameters*", "<bitstrength*<rsakeyvalue*",
            ])),
        KnownForm(
            "dotnet-escaped", .key, "an RSA key in .NET's XML, with HTML's spelling of its brackets",
            "decode it: python3 -c 'import html,sys;sys.stdout.write(html.unescape(sys.stdin.read()))' < FILE > COPY",
            .anyCase(["&lt;rsakeyvalue*", "&lt;?xml*&lt;rsakeyvalue*", "&\\#60;rsakeyvalue*", "&lt;rsaparameters*"])),
        KnownForm(
            "dotnet-other", .key, "a key in XML (not of RSA)", "let the program that made it export PEM",
            .anyCase([
                "<dsakeyvalue*", "<ecdsakeyvalue*", "<eckeyvalue*", "<?xml*<dsakeyvalue*", "<?xml*<ec@keyvalue*",
                "<eckeyvalue*",
            ])),
        KnownForm(
            "jks", .key, "a Java keystore (JKS)",
            "convert it to PKCS#12 with: keytool -importkeystore -srckeystore FILE -destkeystore COPY.p12 "
                + "-deststoretype PKCS12",
            .bytes(["FEEDFEED0000000(0102)", "FEEDFEED"])),
        KnownForm(
            "jceks", .key, "a Java keystore (JCEKS)",
            "convert it to PKCS#12 with: keytool -importkeystore -srcstoretype JCEKS -srckeystore FILE "
                + "-destkeystore COPY.p12 -deststoretype PKCS12",
            .bytes(["CECECECE"])),
        KnownForm(
            "bks", .key, "a keystore of Bouncy Castle (BKS), as Android uses it",
            "convert it to PKCS#12 with keytool and the provider of Bouncy Castle (-srcstoretype BKS)",
            .rule(.bouncyKeystore)),
        KnownForm(
            "pvk", .key, "a private key in Microsoft's PVK format",
            "convert a copy with: openssl rsa -inform PVK -in FILE -out COPY", .bytes(["1EF1B5B0"])),
        KnownForm(
            "msblob", .key, "a private key in Microsoft's MSBLOB format",
            "convert a copy with: openssl rsa -inform MSBLOB -in FILE -out COPY", .bytes(["0702000000"])),
        KnownForm(
            "msblob-public", .publicKey, "a public key in Microsoft's MSBLOB format",
            "convert a copy with: openssl rsa -pubin -inform MSBLOB -in FILE -out COPY", .bytes(["0602000000"])),
        KnownForm(
            "spkac", .publicKey, "a certificate request of a browser (SPKAC)",
            "give the public key that was certified, or its certificate", .text(["SPKAC=*"])),
        KnownForm(
            "ec-parameters", .publicKey, "elliptic-curve parameters, not a key", "give the key that was made with them",
            .bytes(["06(0310)2A8648CE3D", "06052B810400"])),
        KnownForm(
            "cng-blob", .key, "an RSA key in the form of Windows CNG (BCRYPT_RSAKEY_BLOB)",
            "let the program that made it export PEM: ExportPkcs8PrivateKeyPem()",
            .bytes(["52534131..0(0020)0000", "52534132..(0020)0000", "52534133..(0020)0000", "52534131..(0020)0000"])),
        KnownForm(
            "android-key-object", .publicKey, "the name of an Android keystore's key object, which is not the key",
            "send the public key: Base64.encodeToString(key.getEncoded(), Base64.NO_WRAP); a private key does not "
                + "leave the phone",
            .text(["android.security.keystore*", "android.security.keystore2.@*"])),
        KnownForm(
            "apple-key-object", .publicKey, "a printed SecKey, which is not the key",
            "send SecKeyCopyExternalRepresentation(key, nil) as base64, with the key's header in front",
            .text(["<SecKeyRef *", "Optional(<SecKeyRef *"])),
        KnownForm(
            "java-key-object", .publicKey, "a printed Java key, which is not the key",
            "send Base64.getEncoder().encodeToString(key.getEncoded())",
            .text([
                "Sun RSA *key*", "SunRsaSign RSA*", "Sun EC public key*", "RSA Public Key [*", "RSA Private CRT Key [*",
                "RSA Private Key [*", "sun.security.rsa.RSA@*", "org.bouncycastle.@\\@*", "OpenSSLRSAPublicKey{*",
                "OpenSSLRSAPrivate@{*", "com.android.org.conscrypt.@*", "java.security.@*", "sun.security.@*",
            ])),
        KnownForm(
            "python-key-object", .publicKey, "a printed key object of a program, which is not the key",
            "write the key as PEM: private_bytes(…), export_key(), or export({format: 'pem'})",
            .text([
                "<cryptography.hazmat.*", "<@.RSA@ object at 0x^>", "Private RSA key at 0x*", "Public RSA key at 0x*",
                "RsaKey(n=*", "RSA.RsaKey(*", "Crypto.PublicKey.*", "PrivateKeyObject {*", "PublicKeyObject {*",
                "SecretKeyObject {*", "CryptoKey {*", "[object CryptoKey]", "[object KeyObject]", "#<OpenSSL::PKey::*",
                "PrivateKey(#, #, #*", "PublicKey(#, #)", "&rsa.PrivateKey{*", "&rsa.PublicKey{*",
                "OpenSSLAsymmetricKey Object*", "object(OpenSSLAsymmetricKey)*", "System.Security.Cryptography.RSA@",
            ])),
        KnownForm(
            "key-as-text", .key, "a key printed for people (openssl -text)",
            "this only shows a key: export it from its own file, with openssl pkey -in KEY -out COPY",
            .text([
                "Private-Key: (*", "RSA Private-Key: (*", "Public-Key: (*", "RSA Public-Key: (*", "Modulus=^*",
                "Modulus (# bit):*", "#:d=0 *hl=*cons: SEQUENCE*", "modulus:~^*", "Modulus:~^*", "Exponent:*",
            ])),
        KnownForm(
            "certificate-as-text", .publicKey, "a certificate printed for people (openssl x509 -text)",
            "give the certificate itself, from -----BEGIN CERTIFICATE----- on", .text(["Certificate:~Data:*"])),
        KnownForm(
            "pkcs11-uri", .publicKey, "the address of a key in a token (a PKCS#11 URI)",
            "name the key by this address instead of by a file", .text(["pkcs11:*"])),
        KnownForm(
            "cloud-key", .publicKey, "the address of a key in a cloud's key service",
            "a key that does not leave the service cannot be given as a file: export it, or let code of your own call "
                + "the service",
            .text([
                "arn:aws:kms:*", "arn:aws-cn:kms:*", "https://*.vault.azure.net/*", "projects/*/cryptoKeys/*",
                "acs:kms:*", "https://*.vault.azure.cn/*", "gcp-kms://*", "aws-kms://*", "awskms:///*", "gcpkms://*",
                "hashivault://*", "azurekms://*",
            ])),
        KnownForm(
            "fingerprint", .publicKey, "the fingerprint of a key, which is not the key",
            "give the key that it belongs to",
            .text([
                "SHA256:@*", "SHA1:*", "MD5:^:^:^*", "# SHA256:*", "# MD5:*", "sha256/*=", "SHA256 Fingerprint=*",
                "sha256 Fingerprint=*", "SHA1 Fingerprint=*",
            ])),
        // PEM, by its label.
        KnownForm(
            "pem-encrypted-pkcs1", .key, "an encrypted private key (PEM of old)", "give its passphrase",
            .text(["*-----BEGIN @ PRIVATE KEY-----*Proc-Type: 4,ENCRYPTED*"])),
        KnownForm(
            "pem-encrypted-pkcs8", .key, "an encrypted private key (PKCS#8)", "give its passphrase",
            .text(["*-----BEGIN ENCRYPTED PRIVATE KEY-----*"])),
        KnownForm(
            "pem-cut", .key, "a PEM that is cut off: it has no -----END line", rewritePEM,
            .all([.text(["*-----BEGIN *KEY-----*", "*-----BEGIN CERTIFICATE-----*"]), .rule(.pemWithoutEnd)])),
        KnownForm("pem-pkcs8", .key, "a private key in PEM (PKCS#8)", nil, .text(["*-----BEGIN PRIVATE KEY-----*"])),
        KnownForm(
            "pem-pkcs1", .key, "an RSA private key in PEM (PKCS#1)", nil,
            .text(["*-----BEGIN RSA PRIVATE KEY-----*"])),
        KnownForm(
            "pem-sec1", .key, "an EC private key in PEM (SEC 1)", toPKCS8, .text(["*-----BEGIN EC PRIVATE KEY-----*"])),
        KnownForm(
            "pem-sm2", .key, "an SM2 key in PEM", nil,
            .text(["*-----BEGIN SM2 *KEY-----*", "*-----BEGIN ENCRYPTED SM2*", "*-----BEGIN SM2 PARAMETERS*"])),
        KnownForm("pem-dsa", .key, "a DSA private key in PEM", nil, .text(["*-----BEGIN DSA PRIVATE KEY-----*"])),
        KnownForm(
            "pem-token", .key, "a key that only a TPM or a token can use", "name the token's key by its URI",
            .text([
                "*-----BEGIN TSS2 PRIVATE KEY-----*", "*-----BEGIN TSS2 KEY BLOB*",
                "*-----BEGIN PKCS\\#11 PROVIDER URI*",
            ])),
        KnownForm(
            "pem-sigstore", .key, "a key of cosign or minisign, under a passphrase of its own kind",
            "export the key with the tool that made it",
            .text([
                "*-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY*", "*-----BEGIN ENCRYPTED COSIGN PRIVATE KEY*",
                "untrusted comment:*", "*-----BEGIN SSH SIGNATURE*",
            ])),
        KnownForm(
            "age-key", .key, "a private key of age",
            "use age: its keys are none of RSA; where it should not be, have a new one made",
            .anyCase([
                "age-secret-key-@", "age-secret-key-@\n*", "age-plugin-????????????????????????????????@",
                "sops_age_key=*",
            ]),
            .text(["*\nAGE-SECRET-KEY-*", "\\# created: *\n\\# public key: age1*", "\\# public key: age1*\n*"])),
        KnownForm(
            "age-recipient", .publicKey, "a public key of age", "use age: its keys are none of RSA",
            .anyCase(["age1????????????????????????????????@"]), .text(["age1@\nage1*", "\\# *\nage1*"])),
        KnownForm("pem-spki", .publicKey, "a public key in PEM", nil, .text(["*-----BEGIN PUBLIC KEY-----*"])),
        KnownForm(
            "pem-pkcs1-public", .publicKey, "an RSA public key in PEM (PKCS#1)", nil,
            .text(["*-----BEGIN RSA PUBLIC KEY-----*"])),
        KnownForm(
            "pem-request", .publicKey, "a certificate request in PEM",
            "take its public key: openssl req -in FILE -noout -pubkey",
            .text(["*-----BEGIN CERTIFICATE REQUEST-----*", "*-----BEGIN NEW CERTIFICATE REQUEST-----*"])),
        KnownForm(
            "pem-certificate", .publicKey, "a certificate in PEM",
            "take its public key: openssl x509 -in FILE -noout -pubkey",
            .text([
                "*-----BEGIN CERTIFICATE-----*", "*-----BEGIN X509 CERTIFICATE-----*",
                "*-----BEGIN TRUSTED CERTIFICATE-----*",
            ])),
        KnownForm(
            "pem-revocations", .publicKey, "a certificate revocation list (CRL) in PEM", nil,
            .text(["*-----BEGIN X509 CRL-----*"])),
        KnownForm(
            "pem-cms", .publicKey, "a PKCS#7 (CMS) message in PEM",
            "take its certificates: openssl pkcs7 -in FILE -print_certs -out COPY",
            .text(["*-----BEGIN PKCS7-----*", "*-----BEGIN CMS-----*", "*-----BEGIN PKCS \\#7 SIGNED DATA-----*"])),
        KnownForm(
            "pem-parameters", .publicKey, "parameters in PEM, which are no key", nil,
            .text([
                "*-----BEGIN DH PARAMETERS-----*", "*-----BEGIN X9.42 DH PARAMETERS-----*",
                "*-----BEGIN DSA PARAMETERS-----*", "*-----BEGIN EC PARAMETERS-----*",
            ])),
        KnownForm("pem-openvpn", .key, "a static key of OpenVPN", nil, .text(["*-----BEGIN OpenVPN Static key V*"])),
        KnownForm(
            "pem-time-stamp", .timeStamp, "a time stamp in PEM", "write DER: sed -e '/-----/d' FILE | base64 -d > COPY",
            .text(["*-----BEGIN TIME*", "*-----BEGIN TS *", "*-----BEGIN TST*"])),
        KnownForm(
            "pem-other", .key, "a PEM block whose label is not that of a key or certificate", nil,
            .text(["*-----BEGIN *-----*"])),
        KnownForm(
            "pem-end-alone", .key, "the end of a PEM without its beginning", rewritePEM,
            .text(["*-----END *-----*"])),
        KnownForm(
            "wireguard", .key, "a configuration of WireGuard, whose keys are none of RSA", nil,
            .text(["[Interface]*PrivateKey*"])),
        KnownForm(
            "aws-credentials", .key, "credentials of a cloud, which are no RSA key", nil,
            .text(["[@]*aws_access_key_id*", "AKIA@", "LTAI@", "AKID@"])),
        // DER, by its structure.
        KnownForm(
            "der-pkcs8", .key, "a private key in DER (PKCS#8)", fromDER, .der(["q(i0 q(o*) s*", "q(i1 q(o*) s*"])),
        KnownForm(
            "der-encrypted-pkcs8", .key, "an encrypted private key in DER (PKCS#8)", "give its passphrase",
            .der(["q(q(o1.2.840.113549.1.5.*", "q(q(o1.2.840.113549.1.12.1.*"])),
        KnownForm(
            "der-pkcs12", .key, "a PKCS#12 file (.p12, .pfx)",
            "extract the key with: openssl pkcs12 -in FILE -nocerts -out COPY, the certificate with "
                + "-nokeys instead; for an old file, add -legacy",
            .der(["q(i3 q(o1.2.840.113549.1.7.*"])),
        KnownForm(
            "der-pkcs1", .key, "an RSA private key in DER (PKCS#1)", fromDER, .der(["q(i0 i i* i i i i i*"]),
            .bytes(["3082....0201000282(0102)(0081)00"])),
        KnownForm("der-dsa", .key, "a DSA private key in DER", nil, .der(["q(i0 i i i i i)"])),
        KnownForm("der-sec1", .key, "an EC private key in DER (SEC 1)", fromDER, .der(["q(i1 s*"])),
        KnownForm(
            "der-spki", .publicKey, "a public key in DER",
            "write PEM: openssl pkey -pubin -inform DER -in FILE -out COPY",
            .der(["q(q(o1.2.840.* b*", "q(q(o1.3.* b*"])),
        KnownForm(
            "der-certificate", .publicKey, "a certificate in DER",
            "write PEM: openssl x509 -inform DER -in FILE -out COPY", .der(["q(q(c0(i2) *"])),
        KnownForm(
            "der-request", .publicKey, "a certificate request in DER",
            "take its public key: openssl req -inform DER -in FILE -noout -pubkey",
            .der(["q(q(i0 q(t(*", "q(q(i0 q() q(q(o*"])),
        KnownForm(
            "der-revocations", .publicKey, "a certificate revocation list (CRL) in DER", nil, .der(["q(q(i1 q(o*"])),
        KnownForm(
            "der-pkcs1-public", .publicKey, "an RSA public key in DER (PKCS#1)",
            "write PEM: openssl rsa -RSAPublicKey_in -inform DER -in FILE -pubout -out COPY",
            .der(["q(i i)", "q(i i3)", "q(i i17)"])),
        KnownForm(
            "der-parameters", .publicKey, "parameters in DER, which are no key", nil,
            .der(["q(i i2)", "q(i i5)", "q(i i i)", "q(i i i#)"])),
    ]

    private static let pgp = "an OpenPGP key is used by gpg alone: ask for a key in PEM"
    private static let jwk =
        "write PEM with Node: node -e 'const c=require(\"crypto\"),"
        + "j=JSON.parse(require(\"fs\").readFileSync(\"FILE\")),k=[].concat(j.keys||j)[0];"
        + "console.log(k.d?c.createPrivateKey({key:k,format:\"jwk\"}).export({type:\"pkcs8\",format:\"pem\"}):"
        + "c.createPublicKey({key:k,format:\"jwk\"}).export({type:\"spki\",format:\"pem\"}))' > COPY"
    /// Node needs the primes, which RFC 7518 lets a JWK leave out.
    private static let bareJWK =
        "; if it has d, but no p and q, with Python's cryptography: python3 -c 'import base64,json,sys;"
        + "from cryptography.hazmat.primitives import serialization as s;"
        + "from cryptography.hazmat.primitives.asymmetric import rsa as r;j=json.load(open(\"FILE\"));"
        + "n,e,d=(int.from_bytes(base64.urlsafe_b64decode(j[x]+\"==\"),\"big\") for x in \"ned\");"
        + "p,q=r.rsa_recover_prime_factors(n,e,d);k=r.RSAPrivateNumbers(p,q,d,d%(p-1),d%(q-1),pow(q,-1,p),"
        + "r.RSAPublicNumbers(e,n)).private_key();"
        + "sys.stdout.write(k.private_bytes(s.Encoding.PEM,s.PrivateFormat.PKCS8,s.NoEncryption()).decode())' > COPY"
    private static let fromDER = "write PEM: openssl pkey -inform DER -in FILE -out COPY"
}
