// SPDX-License-Identifier: Apache-2.0
extension KnownForm {
    /// Sealed in a form of its own, not just a ciphertext.
    static let sealed: [KnownForm] = [
        KnownForm(
            "salted", .sealed,
            "a passphrase-based format (OpenSSL, CryptoJS): it begins with Salted__ and eight bytes of salt",
            "ask which text is the passphrase, and how the key is derived from it; the wrapped key is likely the "
                + "passphrase",
            .bytes(["53616C7465645F5F"])),
        KnownForm(
            "laravel", .sealed, "JSON with the IV in it, as Laravel's Crypt writes it (iv, value, mac)",
            "decode its members one by one: each is base64 or hex",
            .all([.text(["{~\"iv\"*\"value\"*", "{~\"iv\"*\"mac\"*"]), .rule(.json)])),
        KnownForm(
            "cryptojs-json", .sealed, "JSON of CryptoJS or SJCL, with ciphertext, IV and salt in it",
            "decode its members one by one: ct is the ciphertext, iv the IV, s or salt the salt of a passphrase",
            .all([
                .text([
                    "{*\"ct\"~:*\"iv\"*", "{*\"iv\"~:*\"ct\"*", "{*\"ct\"~:*\"s\"~:*", "{*\"ciphertext\"~:*\"salt\"*",
                    "{*\"salt\"*\"ciphertext\"~:*",
                ]), .rule(.json),
            ])),
        KnownForm(
            "jwe-json", .sealed, "a JWE in JSON form", "open it with a JOSE library",
            .all([
                .text([
                    "{*\"protected\"~:~\"e*\"ciphertext\"~:*", "{*\"ciphertext\"~:*\"protected\"~:~\"e*",
                    "{*\"unprotected\"~:*\"ciphertext\"~:*", "{*\"ciphertext\"~:*\"unprotected\"~:*",
                    "{*\"encrypted_key\"~:*\"ciphertext\"~:*", "{*\"ciphertext\"~:*\"encrypted_key\"~:*",
                    "{*\"recipients\"~:~[~{*\"ciphertext\"~:*", "{*\"ciphertext\"~:*\"recipients\"~:~[~{*",
                ]), .rule(.json),
            ])),
        KnownForm(
            "fernet", .sealed, "a Fernet token: it begins with its version and a time stamp",
            "open it with a Fernet library, whose key has 32 bytes: half for signing, half for encrypting",
            .rule(.fernet)),
        KnownForm(
            "jwe", .sealed, "a JWE in compact form: five parts between dots",
            "open it with a JOSE library: its first part says how it is sealed, its second is the wrapped key",
            .text(["eyJ@"]).and(.dots5)),
        KnownForm(
            "jws", .document, "a JWS or JWT: three parts between dots",
            "it is signed, not sealed: take out its second part: python3 -c 'import base64,sys;"
                + #"sys.stdout.buffer.write(base64.urlsafe_b64decode(sys.stdin.read().split(".")[1]+"=="))' "#
                + "< FILE > COPY", .text(["eyJ@"]).and(.dots3), .text(["eyJ*.eyJ*"])),
        KnownForm(
            "cms-enveloped", .sealed, "a CMS message (PKCS#7 enveloped data)",
            "open it: openssl cms -decrypt -inform DER -in FILE -inkey KEY",
            .der(["q(o1.2.840.113549.1.7.3 *", "q(o1.2.840.113549.1.9.16.1.23 *"]),
            .bytes(["308006092A864886F70D010703", "3080060B2A864886F70D010910011"])),
        KnownForm(
            "age", .sealed, "a file of age", "open it: age -d -i KEY FILE",
            .bytes(["6167652D656E6372797074696F6E2E6F72672F7631"]), .text(["-----BEGIN AGE ENCRYPTED FILE*"])),
        KnownForm("aescrypt", .sealed, "a file of AES Crypt", "open it: aescrypt -d FILE", .bytes(["414553(0103)00"])),
        KnownForm(
            "ansible-vault", .sealed, "a file of Ansible Vault", "open it: ansible-vault view FILE",
            .text(["$ANSIBLE_VAULT;*"])),
        KnownForm("luks", .sealed, "a LUKS volume", nil, .bytes(["4C554B53BABE"])),
        KnownForm("android-backup", .sealed, "a backup of Android", nil, .text(["ANDROID BACKUP*"])),
        KnownForm(
            "password-hash", .sealed, "the hash of a password, from which nothing can be opened",
            "give the password or key itself",
            .text([
                "$2?$#$*", "$argon2*", "$1$*", "$5$*", "$6$*", "$pbkdf2*",
                "pbkdf2_sha*$*$*", "{SSHA}*", "{bcrypt}*", "$scrypt$*",
            ])),
        KnownForm(
            "double-colon", .sealed,
            "base64 text, then two colons and an IV, as PHP code writes what openssl_encrypt returns",
            "split it at the colons: the content comes before them, and the IV goes into a field of its own",
            .rule(.doubleColon)),
    ]

    static let compressed: [KnownForm] = [
        KnownForm(
            "gzip", .compressed, "a gzip file", "unpack it: gzip -d < FILE > COPY",
            .bytes(["1F8B08(001F)........(0004)"])),
        KnownForm(
            "apk-or-office", .compressed, "an Office document or a package (in a zip file)", "unpack it: unzip FILE",
            .bytes([
                "504B0304....................................................5B436F6E74656E745F54797065735D2E786D6C",
                "504B0304....................................................4D4554412D494E46",
                "504B0304....................................................416E64726F69644D616E69666573742E786D6C",
            ])),
        KnownForm(
            "zip", .compressed, "a zip file", "unpack it: unzip FILE", .bytes(["504B0304", "504B0506", "504B0708"])),
        KnownForm(
            "zlib", .compressed, "data compressed with zlib (RFC 1950)",
            "decompress it: python3 -c 'import sys,zlib;"
                + "sys.stdout.buffer.write(zlib.decompress(sys.stdin.buffer.read()))' < FILE > COPY",
            .rule(.zlib)),
        KnownForm(
            "bzip2", .compressed, "a bzip2 file", "unpack it: bzip2 -d < FILE > COPY",
            .bytes(["425A68(3139)314159265359"])),
        KnownForm("xz", .compressed, "an xz file", "unpack it: xz -d < FILE > COPY", .bytes(["FD377A585A00"])),
        KnownForm("zstd", .compressed, "a Zstandard file", "unpack it: zstd -d < FILE > COPY", .bytes(["28B52FFD"])),
        KnownForm("lz4", .compressed, "an LZ4 file", "unpack it: lz4 -d < FILE > COPY", .bytes(["04224D18"])),
        KnownForm(
            "snappy", .compressed, "a Snappy stream", "unpack it with a library of Snappy",
            .bytes(["FF060000734E61507059"])),
        KnownForm("7z", .compressed, "a 7-Zip file", "unpack it: 7z x FILE", .bytes(["377ABCAF271C"])),
        KnownForm("rar", .compressed, "a RAR file", "unpack it: unrar x FILE", .bytes(["526172211A07"])),
        KnownForm(
            "compress", .compressed, "a file of compress (.Z)", "unpack it: gzip -d < FILE > COPY",
            .bytes(["1F9D(8090)"])),
        KnownForm("lzip", .compressed, "an lzip file", "unpack it: lzip -d < FILE > COPY", .bytes(["4C5A495001"])),
        KnownForm(
            "cabinet", .compressed, "a Windows cabinet", "unpack it: cabextract FILE", .bytes(["4D53434600000000"])),
        KnownForm("tar", .compressed, "a tar file", "unpack it: tar -xf FILE", .rule(.tar)),
    ]

    static let timeStamps: [KnownForm] = [
        KnownForm(
            "time-stamp-refusal", .timeStamp, "a reply of a time-stamp authority that refuses",
            "read its reason: openssl asn1parse -inform DER -in FILE",
            .der(["q(q(i2)*", "q(q(i2 *", "q(q(i3)*", "q(q(i3 *", "q(q(i4)*", "q(q(i4 *", "q(q(i5)*", "q(q(i5 *"])),
        KnownForm(
            "time-stamp-reply", .timeStamp, "a time-stamp reply", nil,
            .der([
                "q(q(i0*) q(o1.2.840.113549.1.7.2 *", "q(q(i1*) q(o1.2.840.113549.1.7.2 *", "q(q(i0))", "q(q(i1))",
                "q(q(i0 q(u*", "q(q(i1 q(u*",
            ])),
        KnownForm(
            "time-stamp-token", .timeStamp, "a bare time-stamp token, without the reply around it",
            "put the reply around it: openssl ts -reply -token_in -in FILE -out COPY",
            .der(["q(o1.2.840.113549.1.7.2 c0(q(i3 t(*) q(o1.2.840.113549.1.9.16.1.4*"])),
        KnownForm(
            "time-stamp-query", .timeStamp, "a time-stamp query, not the reply to it",
            "send it to the authority with Content-Type: application/timestamp-query, and keep its answer",
            .der(["q(i1 q(q(o*) s)*"])),
        KnownForm(
            "cms-signed", .timeStamp, "a CMS message (PKCS#7 signed data) that is no time stamp",
            "take its certificates: openssl pkcs7 -inform DER -in FILE -print_certs -out COPY",
            .der(["q(o1.2.840.113549.1.7.2 *"])),
        KnownForm(
            "time-stamp-as-text", .timeStamp, "a time stamp printed for people (openssl ts -text)",
            "give the reply itself, which was printed",
            .text([
                "Status info:*", "Status: *\n*Failure info:*", "Policy OID: *", "Version: #\nPolicy OID: *",
                "Version: #\nHash Algorithm: *", "Using configuration from *Status info:*",
            ])),
        KnownForm(
            "ocsp", .timeStamp, "an answer of OCSP, not a time stamp",
            "look at it: openssl ocsp -respin FILE -text", .der(["q(e c0(q(o1.3.6.1.5.5.7.48.1.1*", "q(e)"])),
    ]

    /// What a desktop or another system puts into folders, by its content; by its name: ``SystemFile``.
    static let system: [KnownForm] = [
        KnownForm("ds-store", .system, "the macOS Finder's .DS_Store", "delete it", .bytes(["0000000142756431"])),
        KnownForm(
            "apple-double", .system, "an AppleDouble file of macOS (._NAME)", "delete it",
            .bytes(["00051607000(0020)0000", "0005160700020000", "0005160000020000"])),
        KnownForm(
            "desktop-ini", .system, "a desktop.ini of Windows", "delete it",
            .anyCase(["[.shellclassinfo]*", "[localizedfilenames]*", "[viewstate]*"])),
        KnownForm(
            "shortcut", .system, "a shortcut of Windows (.lnk)", "take the file that it points to",
            .bytes(["4C0000000114020000000000C000000000000046"])),
        KnownForm(
            "internet-shortcut", .system, "a link to an address (.url, .webloc, .desktop)",
            "take the file that it points to", .anyCase(["[internetshortcut]*", "[desktop entry]*"])),
        KnownForm(
            "bookmark", .system, "an alias of macOS", "take the file that it points to", .bytes(["626F6F6B00000000"])),
        KnownForm(
            "vim-swap", .system, "a swap file of vim", "delete it once the editor is closed",
            .bytes(["6230(5649)494D20", "6230564(0F)"])),
        KnownForm("sqlite", .system, "an SQLite database", nil, .bytes(["53514C69746520666F726D6174203300"])),
        KnownForm(
            "program", .system, "a program or library", nil,
            .bytes(["7F454C46(0102)(0102)01", "CFFAEDFE0(0F)", "CFFAEDFE", "CAFEBABE0000", "4D5A9000"])),
        KnownForm("script", .system, "a script", nil, .text(["\\#!/*", "\\#! /*"])),
        KnownForm(
            "git-lfs", .system, "a pointer of Git LFS, not the file itself", "fetch the file: git lfs pull",
            .text(["version https://git-lfs.github.com/*"])),
    ]
}

extension Sign {
    func and(_ rule: Rule) -> Sign { .all([self, .rule(rule)]) }
}
