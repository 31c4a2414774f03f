// SPDX-License-Identifier: Apache-2.0
extension KnownForm {
    private static let encodeJava =
        "encode the bytes: Base64.getEncoder().encodeToString(bytes), on Android "
        + "Base64.encodeToString(bytes, Base64.NO_WRAP)"
    private static let encodeSwift = "encode the bytes: data.base64EncodedString()"
    private static let encodeScript =
        "encode the bytes: Buffer.from(bytes).toString('base64') in Node; in a browser, "
        + "read the blob with FileReader.readAsDataURL and keep what follows the comma"

    /// Of a callback: to open it would hand somebody's result over once more.
    package static let verifyCallback = "do not open it, and verify its address as a callback"

    static let callback = KnownForm(
        "callback", .address, "a callback, by which a browser returned from a verification", verifyCallback,
        .rule(.callback))

    static let surrounded = KnownForm(
        "surrounded", .encoding, "text with brackets, a name or a tag around it",
        "have the sender write the base64 alone", .rule(.surroundedMedium))

    /// An object that was printed where its content belongs.
    static let printed: [KnownForm] = [
        KnownForm(
            "java-array", .printed, "the name of a Java array, which was printed instead of its content", encodeJava,
            .text([
                "[B\\@^", "[C\\@^", "[I\\@^", "[S\\@^", "[J\\@^", "[Ljava.@;\\@^", "[L@;\\@^", "[Z\\@^", "[F\\@^",
                "[D\\@^", "[[B\\@^", "kotlin.ByteArray*",
            ])),
        KnownForm(
            "java-buffer", .printed, "a printed buffer or stream of Java, not its content", encodeJava,
            .text([
                "java.nio.@*", "java.io.@\\@^", "[size=# hex=^*", "[text=*]", "ByteString[*", "<ByteString\\@*",
                "java.lang.@\\@^", "java.util.@\\@^", "okio.@*", "okhttp3.@*", "buffer(*",
                "PooledUnsafeDirectByteBuf(*", "@ByteBuf(*", "android.graphics.@*", "android.os.@*",
                "android.net.@\\@^", "kotlinx.@\\@^", "java.@[*",
            ])),
        KnownForm(
            "java-object", .printed, "the name of a Java or Kotlin object, which was printed instead of its content",
            "write its content: with getters, or with a serialiser (Gson, Jackson)",
            .text(["@\\@^", "@$@\\@^", "class @", "Unit", "kotlin.Unit", "@/@\\@^"])),
        KnownForm(
            "js-object", .printed,
            "an object of JavaScript that was turned into text by a +, a template or a form field",
            "write a document as JSON.stringify(value); " + encodeScript,
            .text([
                "[object @]", "[object @],[object @]*", "Blob {*", "Blob(#) {*", "File {*", "ArrayBuffer {*",
                "ArrayBuffer(#)*", "Promise {*", "[Function*", "function*(*", "async *", "ReadableStream {*",
                "FormData {*", "() =>*", "@ => *", "ƒ *", "class @ {*", "Symbol(*", "[object Object]*",
                "ReadableStream*", "DataView {*",
            ])),
        KnownForm(
            "node-buffer", .printed, "a printed Buffer of Node, not its content",
            "encode the bytes: buffer.toString('base64')",
            .text(["<Buffer *", "<SlowBuffer *", "<Buffer>"])),
        KnownForm(
            "nsdata-list", .encoding, "a printed NSData", encodeSwift, .text(["<^ ^*", "<^>"]).and(.spacedHex)),
        KnownForm(
            "typed-array", .printed, "a printed typed array of JavaScript", encodeScript,
            .text([
                "Uint8Array(#)*", "Uint8Array [*", "Int8Array(#)*", "Uint8ClampedArray(#)*", "Uint16Array(#)*",
                "Uint32Array(#)*", "Uint8Array {*", "(#) [#, #*", "Uint8Array:*", "Int8Array [*", "Int32Array(#)*",
            ])),
        KnownForm(
            "hex-bracketed", .encoding, "hexadecimal digits in angle brackets, as NSData was printed", fromDigits,
            .rule(.bracketedHex)),
        KnownForm(
            "nsdata", .printed, "a printed Data or NSData, not its content", encodeSwift,
            .text([
                "{length = #, bytes = 0x*", "{length=#*bytes=*", "<^ ^ ^*", "<^ ^>", "# bytes", "Optional(# bytes)",
                "<NSData*", "<NSConcreteData*", "Data(#*", "<OS_dispatch_data*", "{length = #,capacity*",
                "Optional(<^*", "{length = # bytes*",
            ])),
        KnownForm(
            "swift-object", .printed,
            "the address of an Objective-C or Swift object, which was printed instead of its content",
            "have the app encode its content",
            .text([
                "<@: 0x^>", "<@: 0x^;*", "<@: 0x^*", "Optional(<@: 0x^*", "@.@", "Swift.@", "UnsafeRawPointer(0x*",
                "UnsafeBufferPointer(*", "UnsafeRawBufferPointer(*", "UnsafeMutable@(*", "0x^ bytes", "(@) 0x^",
                "<@ 0x^>", "<@:0x^>", "<@:0x^ *",
            ]).and(.objectName)),
        KnownForm(
            "dotnet-object", .printed, "the name of a .NET type, which was printed instead of its content",
            "encode the bytes: Convert.ToBase64String(bytes)",
            .text([
                "System.@[]", "System.@", "System.@`#[*", "Microsoft.@", "Newtonsoft.@", "System.ReadOnly@*",
                "System.Byte[]", "System.@<*", "Org.BouncyCastle.@", "UnityEngine.@",
            ])),
        KnownForm(
            "python-object", .printed, "a printed object of Python, not its content",
            "encode the bytes: base64.b64encode(data).decode()",
            .text([
                "<@ object at 0x^>", "<@ at 0x^>", "<@.@ object at*", "<_io.@*", "<@ 0x^ object*", "<memory at 0x^>",
                "<class '*'>", "<@ object *>", "<FileStorage: *", "<InMemoryUploadedFile: *",
                "<TemporaryUploadedFile: *", "<UploadFile*", "UploadFile(*", "<PIL.*", "<bound method *", "<function *",
                "<generator *", "<coroutine *", "<built-in *", "<module *", "<Response [#]>",
            ])),
        KnownForm(
            "optional-text", .encoding, "text as Swift prints an optional (Optional(\"…\"))",
            "unwrap it before it is written: value ?? \"\"", .rule(.optionalText)),
        KnownForm(
            "wrapped-value", .encoding, "a value as a program prints one that may be missing (Optional, Some, Success)",
            "take the value out before it is written: value ?? \"\" in Swift, value.get() in Java",
            .rule(.wrappedValue)),
        KnownForm(
            "python-text", .encoding, "text as Python prints bytes (b'…')",
            "have the sender write value.decode(), or take it out of its quotation marks: "
                + #"perl -0777 -pe 's/^.*?b["\047]//s; s/["\047][^"\047]*$//; s/\\[rn]//g' FILE > COPY"#,
            .rule(.pythonText)),
        KnownForm(
            "python-bytes", .encoding, "bytes as Python prints them (b'…')",
            "take the text out of them first: value.decode(), or base64.b64encode(value).decode()",
            .rule(.pythonBytes),
            .text(["b'*", "b\"*", "bytearray(b'*", "bytearray(b\"*", "bytes(b'*", "memoryview(b'*"])),
        KnownForm(
            "escaped-bytes", .encoding, "bytes in the escapes of a string (\\xff, \\377, \\u00ff)",
            "have the sender write the bytes in base64, not as the source of a string", .rule(.escapedBytes)),
        KnownForm(
            "ruby-object", .printed, "a printed object of Ruby, not its content",
            "encode the bytes: Base64.strict_encode64(bytes)",
            .text(["\\#<@:0x^*", "\\#<@>", "\\#<@::@*", "\\#<File:*", "\\#<Tempfile:*", "\\#<StringIO:*"])),
        KnownForm(
            "php-resource", .printed, "a printed resource of PHP, not its content",
            "read it first: base64_encode(stream_get_contents($file))",
            .text([
                "Resource id \\##", "resource(#) of type*",
                "Object id \\##", "Array", "Object", "Closure Object*",
            ])),
        KnownForm(
            "dart-object", .printed, "the name of a Dart object, which was printed instead of its content",
            "encode the bytes: base64Encode(bytes)",
            .text([
                "Instance of '@'", "Instance of '*'", "Future<*", "File: '*'", "MemoryImage(*", "FileImage(*", "XFile*",
                "Closure: (*", "Instance of \"*\"", "_Future*", "Uint8List(*", "Stream<*",
            ])),
        KnownForm(
            "go-object", .printed, "a printed value of Go, not its content",
            "encode the bytes: base64.StdEncoding.EncodeToString(data)",
            .text(["&[# #*", "0xc00^", "%!@(*", "{0xc*", "&{0x*", "[# # # #*", "&bytes.Buffer{*", "(@) (len=#*"]).and(
                .notDecimals)),
        KnownForm(
            "hex-dump-canonical", .printed, "a hex dump of hexdump -C",
            "write the bytes again: "
                + #"perl -pe '/^\*/ and die "lines are left out: hexdump -v -C\n"; s/\|.*//; s/^\S+//; "#
                + #"$_ = pack "H*", s/\s//gr' FILE > COPY"#,
            .text(["00000000  ^ ^ *  |*"])),
        KnownForm(
            "hex-dump", .printed, "a hex dump", "write the bytes again: xxd -r FILE > COPY (of a dump that xxd made)",
            .text([
                "00000000: ^ *", "00000000:  ^ *", "0000000 ^ *", "00000000  ^ ^ *", "0000: ^ ^*", "0000   ^ ^ *",
                "00000000 ^ *", "0x0000: *", "0x00000000 *", "0000  ^ ^ *", "000000 ^ ^*", "0x0000:  ^*", "\t0x0000:*",
                "Offset(h)*",
            ])),
        KnownForm("binary-digits", .printed, "binary digits", "write base64 instead", .rule(.binaryDigits)),
        KnownForm(
            "quoted-printable", .encoding, "quoted-printable text (of an e-mail)",
            "decode it: python3 -c 'import quopri,sys;quopri.decode(sys.stdin.buffer,sys.stdout.buffer)' < FILE > COPY",
            .rule(.quotedPrintable)),
        KnownForm(
            "uuencode", .printed, "uuencoded text",
            "decode it: python3 -c 'import sys,binascii as b;"
                + "[sys.stdout.buffer.write(b.a2b_uu(l)) for l in sys.stdin.readlines()[1:-2]]' < FILE > COPY",
            .text(["begin # *", "begin-base64 # *", "=ybegin *"])),
        KnownForm(
            "ascii85", .printed, "Ascii85 text",
            "decode it: python3 -c 'import base64,sys;"
                + "sys.stdout.buffer.write(base64.a85decode(sys.stdin.read().strip(),adobe=True))'"
                + " < FILE > COPY",
            .text(["<\\~*"])),
        KnownForm(
            "hex-code", .encoding, "bytes in hexadecimal digits in the source of a program (0x0c)",
            #"write the bytes: perl -0777 -pe '$_ = join "", map { pack "C", hex } "#
                + #"/(?:0x|\\x)([0-9a-f]{1,2})(?![0-9a-f])/gi' FILE > COPY"#,
            .rule(.hexInCode)),
        KnownForm(
            "hex-joined", .encoding, "hexadecimal digits with other text before, behind or between them",
            #"have the sender write the digits alone, or decode the longest of them: perl -0777 -pe '$_ = pack "H*", "#
                + #"(sort { length $b <=> length $a } /[0-9a-f]{16,}/gi)[0]' FILE > COPY"#,
            .rule(.joinedHex)),
    ]

    private static let sendContent = "the app sent where the file is: have it read the file and send what is in it"

    static let addresses: [KnownForm] = [
        KnownForm(
            "base64-label", .encoding, "text with base64: in front of it",
            "keep only what follows its colon: cut -d: -f2- FILE > COPY", .rule(.base64Label)),
        KnownForm(
            "data-uri", .encoding, "a data URI",
            "keep only what follows its comma: perl -0777 -pe 's/^(.{0,256}?base64|[^,]*),//is' FILE > COPY",
            .rule(.dataURI)),
        KnownForm(
            "blob-address", .address, "an address (blob:) that only one page of one browser can open, not the content",
            "read the blob with FileReader.readAsDataURL, and keep what follows the comma", .anyCase(["blob:*"])),
        KnownForm(
            "content-address", .address, "an address (content:) of an Android app, not the content",
            sendContent + " (contentResolver.openInputStream(uri))",
            .anyCase(["content://*", "content:/*", "content%3a%2f*"])),
        KnownForm(
            "ph-address", .address, "the address of a picture or video in an iPhone's library, not the content",
            sendContent + " (PHImageManager, or PHAssetResourceManager)",
            .anyCase(["ph://*", "assets-library://*", "ph-upload://*", "photos://*", "ph%3a%2f*"])),
        KnownForm(
            "file-address", .address, "an address (file:) of a file on the sender's device, not the content",
            sendContent,
            .anyCase([
                "file:/*", "file%3a*", "capacitor://*", "cdvfile://*", "ms-appdata:*", "ms-appx:*", "wxfile://*",
                "ttfile://*", "http://tmp/*", "http://usr/*", "internal://*", "bdfile://*", "swanfile://*", "_doc/*",
                "_downloads/*", "_www/*", "https://localhost/_capacitor_file_/*", "asset://*", "asset:/*", "assets/*.*",
                "app-storage://*", "rawresource://*", "android.resource://*", "android_asset/*", "res://*", "ionic://*",
                "dataability://*", "datashare://*", "ohos://*", "https://tmp/*", "http://store/*", "my-app://*",
                "ext://*", "hap://*", "https://resource/*",
            ])),
        KnownForm(
            "address", .address, "an address, not the content",
            "the sender sent where the content is: fetch it from there, or have the content itself sent",
            .anyCase([
                "http://*", "https://*", "www.*", "[*](http*", "![*](*", "http%3a*", "https%3a*", "http:\\/\\/*",
                "https:\\/\\/*", "http:\\\\/\\\\/*",
                "https:\\\\/\\\\/*", "ftp://*", "ftps://*", "sftp://*", "s3://*", "s3a://*", "gs://*", "oss://*",
                "cos://*", "obs://*", "tos://*", "qiniu://*", "hdfs://*", "wss://*", "ws://*", "rtmp://*", "rtsp://*",
                "rtmps://*", "srt://*", "smb://*", "nfs://*", "magnet:?*", "//@.@/*", "cloud://*", "arn:aws*:s3:*",
                "ipfs://*", "abfs://*", "abfss://*", "wasb://*", "wasbs://*", "azure://*", "swift://*", "kodo://*",
                "upyun://*", "bos://*", "mongodb://*", "redis://*", "jdbc:*", "ssh://*", "scp://*", "webdav://*",
                "dav://*", "davs://*", "urn:*", "intent://*", "chrome-extension://*", "moz-extension://*",
                "about:blank*", "javascript:*", "filesystem:*", "jar:*", "classpath:*", "minio://*", "ks3://*",
                "r2://*", "b2://*", "dbfs:/*", "@://@*",
            ])),
        KnownForm(
            "path", .address, "the path of a file, not the content", sendContent, .rule(.path)),
    ]

    static let placeholders: [KnownForm] = [
        KnownForm(
            "nothing", .placeholder,
            "a word for nothing or for a state (undefined, null, None, OK, failed), not the content",
            "find out why the sender had no value: the word was written in its place",
            .anyCase([
                "undefined", "null", "nil", "none", "nan", "(null)", "<null>", "<nil>", "(nil)", "(none)",
                "(undefined)", "[null]", "[undefined]", "nullnull", "undefinedundefined", "null,null",
                "optional(nil)", "n/a", "na", "nsnull", "<nsnull>", "void", "empty", "false", "true", "[]", "{}",
                "\"\"", "''", "()", "-", "--", "\\?", "null;", "undefined,undefined", "dbnull", "system.dbnull",
                "nullptr", "nothing", "some(none)", "{null}", "(empty)", "<empty>", "<none>", "<undefined>", "\\n",
                "jsonnull", "nan,nan", "missing", "unknown", "(unknown)", "\\#n/a", "\\#ref!", "\\#value!", "\\#null!",
                "noneType", "nonetype", "__none__", "undef", "[object undefined]", "[object null]", "optional.empty",
                "optional.none", "option.none", "err(*)", "error", "failed", "fail", "ok", "success",
            ])),
        KnownForm(
            "elided", .placeholder, "text that a log or a console shortened (…)",
            "take the text from where it is whole: what is not shown cannot be had back", .rule(.elided)),
        KnownForm(
            "sample", .placeholder, "a placeholder of an example, not a value",
            "put the value in its place",
            .anyCase([
                "your*", "xxx*", "test", "string", "example*", "placeholder*", "dummy*", "changeme*", "change_me*",
                "todo*", "tbd", "foo", "bar", "foobar", "base64", "base64string*", "base64 string*", "base64encoded*",
                "base64_*", "...", "…", "abc", "abc123", "12345678", "123456", "sample*", "insert*here*", "replace*",
                "lorem ipsum*", "hello", "hello world*", "secret", "password", "test123*", "aaaa", "aaaaaaaa", "xxxx*",
                "\\*\\*\\*\\**", "\\*\\*\\**", "<redacted>", "[redacted]", "redacted", "[filtered]", "\\*\\*\\*",
                "[masked]", "(redacted)", "<hidden>", "<secret>", "<masked>", "[hidden]", "*<truncated>*",
                "*...(truncated)*", "*[truncated]*", "*… (# more*", "*...[truncated*", "*<# bytes>*", "[binary data]",
                "<binary data>", "(binary)", "<binary>", "[blob]", "<blob>", "binary data", "(binary data)", "[file]",
                "[video]", "video", "(file)", "<file>", "file", "image", "[image]", "photo", "video.mp4", "image.jpg",
            ]).and(.isShort)),
        KnownForm(
            "media-type", .placeholder, "the name of a media type (MIME), not the content",
            "have the sender put the bytes there, not their type",
            .anyCase(["video/@", "image/@", "audio/@", "application/@"]).and(.isShort)),
        KnownForm(
            "template", .placeholder, "a template whose value was not filled in",
            "fill in the value: the name of a variable was sent in its place",
            .text([
                "${*}", "{{*}}", "\\#{*}", "<%=*%>", "%s", "%d", "%\\@", "%\\#*", "$@", "${@", "{@}", "<@>", "%@%",
                "__*__", "[[@]]", "{#}", "%(@)s", "\\@{@}", "\\@{*}", "\\@@", ":@", "<%*%>", "\\(@)", "<%- *",
                "\\$\\{*\\}", "{%*%}", "<your*>", "<YOUR*>", "%v", "%x", "{}{}", "$(@)", "`@`", "%.*s", "%1$s",
                "<!--*-->",
            ]).and(.noUUID)),
    ]

    /// Words with other letters, such as the name of a type, are left out whole.
    private static let fromDigits =
        #"decode it: perl -0777 -pe 's/0x|\\x//gi; s/\w*[g-z_]\w*//gi; s/[^0-9a-f]//gi; "#
        + #"$_ = pack "H*", $_' FILE > COPY"#

    /// Bytes that went through a text type. A file of bytes is never UTF-8 with such characters.
    static let throughText: [KnownForm] = [
        KnownForm(
            "lost-bytes", .placeholder,
            "bytes that were taken for text on the way: some became U+FFFD (EF BF BD) and are lost",
            "change the sender to encode the bytes as base64, and send again: what is lost cannot be had back",
            .rule(.lostBytes)),
        KnownForm(
            "question-marks", .placeholder,
            "bytes that were taken for text on the way: all above 7F became question marks (3F) and are lost",
            "change the sender to encode the bytes as base64, and send again: what is lost cannot be had back",
            .rule(.questionMarks)),
        KnownForm(
            "text-mode", .encoding, "bytes that were written in text mode: each line feed in them became CR LF",
            #"write them back: perl -pe 's/\r\n/\n/' FILE > COPY; and have the sender write the file in binary mode"#,
            .rule(.textMode)),
        KnownForm(
            "latin1", .encoding, "bytes that were taken for Latin-1 and written as UTF-8",
            "write the bytes back: iconv -f UTF-8 -t LATIN1 FILE > COPY; "
                + "and change the sender to encode bytes as base64",
            .rule(.latin1)),
        KnownForm(
            "windows-1252", .encoding, "bytes that were taken for Windows-1252 and written as UTF-8",
            "change the sender to encode bytes as base64; five of the 256 values may be lost", .rule(.windows1252)),
    ]

    /// Some decoders refuse carriage returns and byte-order marks.
    package static let fromBase64 = "decode it: tr -dc 'A-Za-z0-9+/=' < FILE | base64 -d > COPY"
    /// A string of JSON without its quotation marks.
    static let decodeString =
        "decode the string once more before it is written: python3 -c 'import json,sys;"
        + "sys.stdout.write(json.loads(\"\\\"\"+sys.stdin.read().strip()+\"\\\"\",strict=False))' < FILE > COPY"
    private static let decodeUnpadded =
        "decode it: python3 -c 'import base64,sys;t=\"\".join(sys.stdin.read().split());"
        + "sys.stdout.buffer.write(base64.b64decode(t.translate({45:43,95:47})+\"=\"*(-len(t)%4)))' < FILE > COPY"

    static let encodings: [KnownForm] = [
        KnownForm(
            "marked-bytes", .encoding, "bytes with a byte-order mark of UTF-8 before them",
            "remove it: tail -c +4 FILE > COPY", .rule(.markedBytes)),
        KnownForm(
            "utf16-big", .encoding, "text in UTF-16 (big-endian, without a byte-order mark)",
            "convert it: iconv -f UTF-16BE -t UTF-8 FILE > COPY", .rule(.utf16Big)),
        KnownForm(
            "utf16", .encoding, "text in UTF-16",
            "convert it: iconv -f UTF-16 -t UTF-8 FILE > COPY; in PowerShell, write it with -Encoding utf8NoBOM, or "
                + "ascii",
            .rule(.utf16)),
        KnownForm(
            "utf32", .encoding, "text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8 FILE > COPY", .rule(.utf32)),
        KnownForm("number", .general, "a number or a UUID", nil, .rule(.uuidsOrNumbers)),
        KnownForm(
            "hex-prefixed", .encoding, "hexadecimal digits with 0x or \\x in front", fromDigits,
            .rule(.prefixedHex)),
        KnownForm("hex", .encoding, "hex", "decode it: xxd -r -p FILE > COPY", .rule(.hex)),
        KnownForm(
            "hex-odd", .encoding, "an odd number of hexadecimal digits",
            "a digit is missing: have the sender write two for each byte, and the whole text", .rule(.oddHex)),
        KnownForm(
            "hex-spaced", .encoding, "hexadecimal digits in pairs, with separators",
            fromDigits, .rule(.spacedHex)),
        KnownForm(
            "form", .document, "a form body (name=value&…)",
            "write its names and values as JSON: python3 -c 'import json,re,sys,urllib.parse as u;"
                + "t=re.sub(r\"(?<==)[\\w+/%=-]{24,}(?=&|$)\","
                + "lambda m:m[0] if \"%7B\" in m[0] else m[0].replace(\"+\",\"%2B\"),"
                + "sys.stdin.read().strip().lstrip(\"?\"));"
                + #"j=json.dumps;f=lambda p:"{"+",".join([j(k[0])+":"+j(v) for k,v in p if not k[1:]]+"#
                + #"[j(n)+":"+f([(k[1:],v) for k,v in p if k[1:] and k[0]==n]) for n in "#
                + #"dict.fromkeys(k[0] for k,v in p if k[1:])])+"}";"#
                + #"sys.stdout.write(f([(re.findall(r"[^][.]+",k) or [k],v) for k,v in u.parse_qsl(t,True)]))'"#
                + " < FILE > COPY", .rule(.formBody)),
        KnownForm(
            "percent-encoded", .encoding, "URL-encoded text",
            "decode it once: python3 -c 'import re,sys,urllib.parse as u;t=sys.stdin.read();p=u.unquote(t);"
                + "sys.stdout.write(p if re.fullmatch(r\"[\\w+/=-]*\\s*\",p) else u.unquote_plus(t))' "
                + "< FILE > COPY", .rule(.percent)),
        KnownForm(
            "base64-slashes", .encoding, #"base64 with a backslash before each slash (of JSON)"#,
            #"decode it: tr -d '\\' < FILE | base64 -d > COPY"#,
            .rule(.slashesAlone)),
        KnownForm(
            "base64-newlines", .encoding, #"base64 whose line breaks were written as \n"#,
            #"decode it: perl -pe 's/\\[rn]//g; s/\\//g' FILE | base64 -d > COPY"#, .rule(.base64Escaped)),
        KnownForm(
            "base64-escaped", .encoding, "text with backslashes in it, as inside a string (\\/, \\n, \\u003d)",
            decodeString, .rule(.escapedSlashes)),
        KnownForm(
            "hidden-characters", .encoding,
            "text with invisible characters in it (no-break, wide or zero-width spaces)",
            "remove them: "
                + #"perl -CSD -pe 's/[\x{A0}\x{200B}-\x{200F}\x{2028}\x{2029}\x{3000}\x{FEFF}]//g' FILE > COPY"#,
            .rule(.hiddenCharacters)),
        KnownForm(
            "wide-characters", .encoding, "text with full-width characters in it (＋ in place of +)",
            #"have the sender write plain ASCII, or put it in their place: "#
                + #"perl -CSD -pe 'tr/\x{FF01}-\x{FF5E}/!-~/' FILE > COPY"#,
            .rule(.wideCharacters)),
        KnownForm(
            "html-entities", .encoding, "text with HTML's spelling of characters in it (&#43;, &amp;, <br>)",
            "decode it: python3 -c 'import html,re,sys;"
                + "sys.stdout.write(html.unescape(re.sub(\"<br */?>\",\"\",sys.stdin.read())))' < FILE > COPY",
            .rule(.htmlEntities)),
        KnownForm(
            "quoted", .encoding, "text in quotation marks",
            "remove the quotation marks: "
                + #"perl -0777 -pe 's/^[^\w+\/=<{[(-]+//; s/[^\w+\/=>}\])-]+$//; "#
                + #"s{\\(.)}{({n=>"\n",r=>"\r",t=>"\t"})->{$1}//$1}gse' FILE > COPY"#,
            .rule(.quotedText)),
        KnownForm("base64-url", .encoding, "URL-safe base64", decodeUnpadded, .rule(.base64URL)),
        KnownForm(
            "base64-tencent", .encoding, "base64 in the alphabet of Tencent's signatures (* - _ in place of + / =)",
            "decode it: tr '*_-' '+=/' < FILE | base64 -d > COPY", .rule(.base64Tencent)),
        KnownForm(
            "base64-lost-plus", .encoding, "base64 in which every + became a blank",
            "decode it: perl -pe 's/ /+/g' FILE | base64 -d > COPY; and have the sender URL-encode the text once",
            .rule(.base64LostPlus)),
        KnownForm(
            "trailing-comma", .encoding, "text with a comma or a semicolon behind it",
            #"remove it: perl -0777 -pe 's/[\s,;]+$//' FILE > COPY"#, .rule(.trailingComma)),
        KnownForm("base32", .encoding, "base32", "decode it: tr a-z A-Z < FILE | base32 -d > COPY", .rule(.base32)),
        KnownForm(
            "key-cut", .key, "base64 of a key or a certificate that is cut off",
            "export the key again, and copy all of it", .rule(.cutDER)),
        KnownForm(
            "base64-unpadded", .encoding, "base64 without the = at its end", decodeUnpadded, .rule(.unpaddedBase64)),
        KnownForm("base64", .encoding, "base64", fromBase64, .rule(.base64)),
        KnownForm(
            "parts", .document, "parts in base64 or hex with a mark between them (: . , | ; $)",
            "they may be the IV, the ciphertext and the tag: put each into a field of its own", .rule(.parts)),
        KnownForm(
            "assignment", .encoding, "name=value, where the value alone belongs",
            // The beginning of a text may not show that another name follows.
            "keep only the value, which follows the name: "
                + withoutName, .rule(.assignment)),
    ]

    static let withoutName =
        #"perl -0777 -pe 's/^[^=:\xEF]*(=|:\s|\xEF\xBC[\x9A\x9D])\s*//; "#
        + #"s/(?<=[:,{\[])\+(?=["{\[\dtfn-])/ /g; s/\}&[\w.-]+=[^{}"]*$/}/' FILE > COPY"#

    static let general: [KnownForm] = [
        KnownForm("empty", .general, "nothing", "find out why it is empty", .rule(.isEmpty)),
        KnownForm("blank", .general, "nothing but white space", "find out why it is empty", .rule(.isBlank)),
        KnownForm(
            "zeros", .general, "nothing but zero bytes",
            "find out why its content was never written: a copy may have failed", .rule(.isZeros)),
        KnownForm(
            "json-inside", .document, "JSON with other text around it",
            keepJSON, .rule(.jsonInside)),
        KnownForm("text", .general, "plain text", nil, .rule(.isText)),
    ]
}
