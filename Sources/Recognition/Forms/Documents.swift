// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding

extension KnownForm {
    /// Each object in a text, on a line of its own; nothing at all where a brace is left over, of an object that is not
    /// whole: without that, its members would be lost, and what they say.
    private static let splitJSON =
        #"perl -0777 -pe 's/^\s*\)\]\}\S*//; $r = s/(?=\{\s*")(\{(?:[^{}"]++|"(?:[^"\\]++|\\.)*+"|(?1))*+\})/"#
        + #"push @d, $1; ""/gesr; die "no whole JSON: have all of it sent again\n" "#
        + #"if !@d or $r =~ /\{\s*"/ or ($r =~ tr,{,,) != ($r =~ tr,},,); @d = map { s/\s*\n\s*/ /gr } @d if @d > 1; "#
        + #"$_ = join "\n", @d, ""' FILE > COPY"#
    static let keepJSON = "if nothing around it says otherwise, keep only the JSON: " + splitJSON
    /// Commands that leave out what stands around JSON.
    static let losingWords =
        [
            splitJSON, fromEvent, withoutHead, takeAttachment, withoutComments, withoutTags, withoutName,
        ].map { $0.dropLast("FILE > COPY".count) } + [JSONScanner.cutting[...]]
    /// In place of these, where that denies what the JSON says.
    package static let askInstead =
        "what stands around the JSON may say that something failed, so the JSON alone is not what was reported: ask "
        + "the vendor's server for the result (queryfacerecord)"
    /// Of a picture or a recording where a document belongs.
    static let askForText = "ask for the document's text, or its file: a picture or a recording of it cannot be checked"
    private static let fromEvent = "sed -n 's/^data: *//p' FILE > COPY"
    private static let withoutHead =
        #"perl -0777 -pe '/^HTTP\S* [013-9]/ and die "no success\n"; s/^.*?\r?\n\r?\n//s' FILE > COPY"#
    private static let withoutComments =
        #"perl -0777 -pe 's{^(\s*(//[^\n]*\n|#[^\n]*\n|/\*.*?\*/))+}{}s; "#
        + #"s/:\s*(NaN|-?Infinity|undefined)(?=\s*[,}\]])/:null/g; s/,(\s*[}\]])/$1/g' FILE > COPY"#
    private static let withoutTags =
        "python3 -c 'import html,re,sys;"
        + "sys.stdout.write(html.unescape(re.sub(\"<[^>]*>\",\"\",sys.stdin.read())))' < FILE > COPY"
    /// In place of the command that keeps JSON, where it would leave no JSON.
    static let writeJSON = "it holds no plain JSON: have the program write the document as JSON, to a file of its own"
    private static let fromLog =
        "have the program write the document to a file, not to its log; if all of it is in this line, " + keepJSON

    /// What logs and debuggers write.
    static let logs: [KnownForm] = [
        KnownForm(
            "flutter-log", .document, "a line of Flutter's log", fromLog,
            .text(["flutter: *", "I/flutter (~#): *", "[  +# ms] *", "[log] *", "\u{1B}[*flutter*"])),
        KnownForm(
            "logcat", .document, "a line of Android's log", fromLog,
            .text(["#-# #:#:#.# *", "?/@(~#): *", "?/@~(~#): *", "--------- beginning of *", "?/@: *"])),
        KnownForm(
            "ios-log", .document, "a line of iOS's or macOS's log (NSLog, os_log)", fromLog,
            .text([
                "#-#-# #:#:#.#+# @[*", "#-#-# #:#:#.# @[*", "default\t#:#:#*", "#-#-# #:#:#.#-# @[*",
                "#-#-# #:#:#.#+#\t*",
            ])),
        KnownForm(
            "react-native-log", .document, "a line of a JavaScript console", fromLog,
            .text(["LOG  *", " LOG  *", "WARN  *", "ERROR  *", "console.log*", "VM#:# *", "[JS] *", "'TAG', *"])),
        KnownForm(
            "log", .document, "a line of a log", fromLog,
            .text([
                "#-#-# #:#:#*", "#-#-#T#:#:#*", "[#-#-#*", "#/#/# #:#:#*", "#:#:#.# *", "#:#:# *", "[#:#:#*",
                "INFO *", "INFO:*", "DEBUG *", "DEBUG:*", "WARN *", "ERROR *", "ERROR:*", "TRACE *", "WARNING:*",
                "[INFO]*", "[DEBUG]*",
                "[WARN]*", "[ERROR]*", "[main] *", "[http-@] *", "Jan # #:#*", "Feb # #:#*", "Mar # #:#*", "Apr # #:#*",
                "May # #:#*", "Jun # #:#*", "Jul # #:#*", "Aug # #:#*", "Sep # #:#*", "Oct # #:#*", "Nov # #:#*",
                "Dec # #:#*", "time=*level=*", "level=*msg=*", "ts=* level=*", "?# #:#:#.# *", "[GIN] *", "\u{1B}[*m*",
                "@.@: {*\"*", "<14>*", "Timestamp *Thread *", "result: {*", "result = {\"*", "response: {*",
                "Response: {*", "body: {*",
                "onSuccess: *", "onResult: *", "callback: *", "#.#.#.# - *",
            ])),
        KnownForm(
            "debugger", .document, "what a debugger printed (po, p)", fromLog,
            .text([
                "(lldb) *", "Printing description of *", "(NSDictionary*", "(NSString*", "(__NSCF*", "▿ *", "$R# = *",
                "$# = *", "(gdb) *", "(@) $R# = *",
            ])),
        KnownForm(
            "stack-trace", .document, "an error report of a program", "mend that error first",
            .text([
                "Traceback (most recent call last):*", "@*Exception: *",
                "java.*Exception: *", "java.*Error: *", "javax.*Exception: *", "android.*Exception: *",
                "kotlin.*Exception: *",
                "com.*Exception: *", "org.*Exception: *", "System.*Exception: *",
                "@*Error: *", "Error: *", "Unhandled exception*",
                "Uncaught *", "ENOENT: *", "E@: @*, open *",
                "*Exception: *\n\tat *", "*Exception\n\tat *",
                "*Error: *\n    at *",
                "Exception in thread *", "Fatal error: *", "*panic: *goroutine *", "Caused by: *", "PHP Fatal error: *",
                "Fatal error: Uncaught *", "Thread # *: Fatal error*", "*** Terminating app*",
                "thread '*' panicked at *",
            ]), .text(["*.*Exception", "*.*Error"]).and(.isWord)),
    ]

    static let partOfJSON = KnownForm(
        "json-part", .document, "JSON of which a part is missing", JSONScanner.partIsMissing, .rule(.partOfJSON))

    /// JSON that is not of this subject, and JSON of any other kind.
    static let json: [KnownForm] = [
        KnownForm(
            "har", .document, "a recording of a browser (HAR)",
            "take the text of the answer: log.entries[].response.content.text",
            .all([.text(["{~\"log\"~:~{*\"entries\"*", "{~\"log\"~:~{~\"version\"*"]), .rule(.json)])),
        KnownForm(
            "postman", .document, "a collection of Postman", "take the body of one answer",
            .all([.text(["{~\"info\"*\"_postman_id\"*", "{*schema.getpostman.com*"]), .rule(.json)])),
        KnownForm(
            "problem-json", .document, "an error of a web framework or a gateway",
            "look at the status and the path: the request did not reach the handler, or it failed",
            .all([
                .text([
                    "{~\"timestamp\"*\"status\"*\"path\"*", "{~\"type\"*\"title\"*\"status\"*",
                    "{~\"statusCode\"*\"message\"*", "{~\"detail\"~:*",
                    "{~\"status\"*\"error\"*\"path\"*", "{~\"errors\"~:*", "{~\"message\"~:~\"*\"}",
                    "{~\"error\"~:~\"*\"}", "{~\"error\"~:~\"*\",~\"error_description\"*", "{~\"fault\"~:*",
                    "{~\"timestamp\"*\"error\"*", "{~\"timeStamp\"*\"status\"*",
                ]), .rule(.json),
            ])),
        KnownForm(
            "tencent-cloud", .document, "an answer of Tencent Cloud's API 3.0 (another product than this SDK's server)",
            "ask the server of this SDK: queryfacerecord", .all([.text(["{~\"Response\"~:~{*"]), .rule(.json)])),
        KnownForm(
            "other-product", .document, "an answer of another product's server",
            "check which server was asked: this answer is not of this SDK's",
            .all([
                .text([
                    "{*\"RequestId\"~:*\"Code\"~:*", "{*\"Code\"~:*\"RequestId\"~:*", "{*\"ResultObject\"~:*",
                    "{~\"alipay_*", "{*\"error_code\"~:*\"log_id\"*",
                    "{*\"log_id\"~:*\"error_code\"*", "{*\"log_id\"~:*\"error_msg\"*",
                    "{*\"request_id\"~:*\"time_used\"*", "{*\"time_used\"~:*", "{~\"errcode\"~:*\"errmsg\"*",
                    "{*\"FaceMatches\"~:*",
                    "{*\"FaceDetails\"~:*", "{*\"SourceImageFace\"~:*", "{*\"error_msg\"~:*\"error_code\"*",
                    "{*\"trace_id\"~:*\"video-result\"*", "{~\"sign\"~:*\"alipay_*", "{*\"RequestID\"~:*",
                    "{*\"biz_content\"~:*", "{*\"faceId\"~:*\"faceRectangle\"*", "[{*\"faceRectangle\"*",
                    "{*\"ResponseMetadata\"~:*",
                ]), .rule(.json),
            ])),
        KnownForm(
            "word-array", .encoding, "JSON of a WordArray of CryptoJS (words, sigBytes)",
            "have the sender write value.toString(CryptoJS.enc.Base64)",
            .all([.text(["{*\"words\"~:~[*", "{*\"sigBytes\"*"]), .rule(.json), .rule(.wordArray)])),
        KnownForm(
            "node-buffer-json", .encoding, "JSON of a Buffer of Node (type, data)",
            "have the sender write buffer.toString('base64')",
            .all([.text(["{*\"type\"~:~\"Buffer\"*"]), .rule(.json), .rule(.numbersUnderData)])),
        KnownForm(
            "typed-array-json", .encoding, "JSON of a typed array (\"0\": …, \"1\": …)",
            "have the sender write Buffer.from(array).toString('base64'), or btoa(String.fromCharCode(...array))",
            .all([.text(["{~\"0\"~:*"]), .rule(.json), .rule(.numberedBytes)])),
        KnownForm(
            "signed-list", .encoding,
            "a list of signed bytes that were printed as decimal numbers (Java's Arrays.toString)",
            "have the sender encode the bytes: Base64.getEncoder().encodeToString(bytes); or " + fromList,
            .rule(.signedDecimals)),
        KnownForm(
            "decimal-list", .encoding, "a list of bytes that were printed as decimal numbers",
            "have the sender encode the bytes as base64 instead of printing them; or " + fromList, .rule(.decimals)),
        KnownForm("json", .document, "JSON", nil, .rule(.json)),
        KnownForm(
            "json-members", .document, "members of JSON without the braces around them",
            "if nothing but the braces is missing, put them back: "
                + #"perl -0777 -pe 's/^\s*/{/; $_ .= "}" if tr/{// > tr/}//' FILE > COPY"#,
            .rule(.jsonMembers)),
    ]

    private static let fromList =
        "write the bytes: perl -0777 -pe 's/^[^\\[{(]*[\\[{(]//; "
        + "$_ = pack \"C*\", map { $_ & 255 } /-?\\d+/g' FILE > COPY"

    private static let afterHeaders =
        "keep only what follows the empty line, if the status is a success: " + withoutHead

    /// Attachments before texts, no picture of a signature, and of a text in two forms the plain one.
    private static let takeAttachment =
        "take what it brought: python3 -c 'import email,sys;"
        + "m=email.message_from_binary_file(sys.stdin.buffer);"
        + "k=lambda x:(x.get_content_maintype()!=\"image\",bool(x.get_filename()),"
        + "x.get_content_subtype()!=\"html\",len(x.get_payload()));"
        + "sys.stdout.buffer.write(max((x for x in m.walk() if not x.is_multipart()),key=k).get_payload(decode=True))' "
        + "< FILE > COPY"

    /// What a program writes as JSON, with every name and value as often as it stands there: which of two counts, no
    /// command decides, and the reader refuses both.
    static func writePairs(_ pairs: String, _ value: String = "json.dumps(v)") -> String {
        "sys.stdout.write(\"{\"+\",\".join(json.dumps(k)+\":\"+\(value) for k,v in \(pairs))+\"}\")"
    }

    /// A single part, and otherwise all of them: many clients send each field in one of its own.
    private static let takeParts =
        "take its only part, or write all parts as JSON: python3 -c 'import email,json,re,sys;"
        + #"b=sys.stdin.buffer.read();n=re.search(rb"(?m)^--(\S+?)(--)?\r?$",b)[1];"#
        + #"m=email.message_from_bytes(b"Content-Type:multipart/x;boundary=\""+n+b"\"\n\n--"+n+b"\n"+b);"#
        + #"p=[(str(x.get_param("name","",header="content-disposition")),"#
        + #"(x.get_payload(decode=True) or b"").decode("utf-8","replace")) for x in m.walk() if not x.is_multipart()];"#
        + #"p=[x for x in p if any(x)];j=lambda v:v.lstrip()[:1]=="{";"#
        + "sys.stdout.write(p[0][1]) if len(p)==1 and j(p[0][1]) else "
        + writePairs("p", "(v if j(v) else json.dumps(v))") + "' < FILE > COPY"

    /// Before what its parts may be encoded in, which the step of the mail undoes.
    static let mail: [KnownForm] = [
        KnownForm(
            "mail", .document, "an e-mail, or a part of one", takeAttachment,
            .text([
                "From: *\n*Subject: *", "Subject: *\n*From: *", "Subject: *\n*To: *", "To: *\n*Subject: *",
                "Date: *\n*From: *", "From: *\n*Date: *", "MIME-Version: *", "Received: *", "Return-Path: *",
                "Delivered-To: *", "Message-ID: *", "Message-Id: *", "DKIM-Signature: *", "ARC-Seal: *",
                "Authentication-Results: *", "From @*@ *\n*", "From - *\n*", "@: *\nMIME-Version: *",
                "@: *\nMessage-ID: *",
                "@: *\nReceived: *", "@: *\nReturn-Path: *", "@: *\nContent-Transfer-Encoding: *",
                "Content-Transfer-Encoding: *",
            ])),
        KnownForm(
            "mail-shown", .document, "an e-mail as a program shows it", keepJSON,
            .text([
                "发件人：*", "发件人: *", "主题：*", "寄件者: *", "-----Original Message-----*",
                "---------- Forwarded message *", "Begin forwarded message:*", "-----原始邮件-----*",
            ])),
    ]

    static let documents: [KnownForm] = [
        KnownForm(
            "multipart", .document, "a multipart body (of an upload)",
            takeParts,
            .anyCase([
                "--*\r\ncontent-*", "--*\ncontent-*", "content-type: multipart/*", "content-disposition: *",
                "------webkitformboundary*",
            ])),
        KnownForm(
            "http-response", .document, "an HTTP answer with its headers", afterHeaders,
            .text(["HTTP/1.# #*", "HTTP/2 #*", "HTTP/3 #*", "HTTP/2.0 #*"])),
        KnownForm(
            "http-request", .document, "an HTTP request with its headers", afterHeaders,
            .text([
                "POST * HTTP/#*", "GET * HTTP/#*", "PUT * HTTP/#*", "PATCH * HTTP/#*", "DELETE * HTTP/#*",
                "OPTIONS * HTTP/#*",
                "Host: @*", "Content-Type: *", "content-type: *", "Accept: *\nHost:*",
            ])),
        KnownForm(
            "curl-output", .document, "what curl -v or -i printed", "run curl with -sS and -o FILE instead",
            .text([
                "\\*   Trying *", "\\* Trying *", "\\* Connected to *", "\\* Host @:*", "\\*  Trying *",
                "*% Total    % Received*", "> POST *", "> GET *", "< HTTP/*", "curl: (#)*",
            ])),
        KnownForm(
            "curl-command", .document, "a command line of curl",
            "take its body alone: what stands in quotation marks after -d, or a longer name of it",
            .text(["curl *", "$ curl *", "curl.exe *"])),
        KnownForm(
            "json-in-html", .document, "JSON inside the HTML of a mail or a chat",
            "take it out: " + withoutTags,
            .anyCase(["<div>{*", "<div *>{*", "<p>{*", "<p *>{*", "<span>{*", "<span *>{*", "<pre>{*"])),
        KnownForm(
            "html", .document, "an HTML page",
            "look at it in a browser: it may be an answer of a proxy, a login or an error; have JSON that it shows "
                + "sent as a file",
            .anyCase([
                "<!doctype html*", "<html*", "<head>*", "<body*", "<h1>*", "<center>*", "<title>*", "<img *",
                "<video *", "<a *", "<!--*<html*",
                "&lt;html*", "&lt;!doctype*", "<meta *",
                "<p>*", "<div*", "<script*", "<?xml*<html*", "<pre*", "<br*", "<b>*", "<table*", "<span*",
            ])),
        KnownForm(
            "soap", .document, "a SOAP message (XML)", "take what its body holds",
            .anyCase(["<?xml*<@:envelope*", "<soap:@*", "<soapenv:@*", "<soap-env:@*", "<s:envelope*"])),
        KnownForm(
            "plist", .document, "a property list of Apple's",
            "convert it: plutil -convert json FILE -o COPY", .bytes(["62706C6973743030", "62706C6973743135"]),
            .text(["<?xml*<!DOCTYPE plist*", "<plist *", "<?xml*<plist*"])),
        KnownForm(
            "xml", .document, "XML", "ask for JSON (Accept: application/json)",
            .text(["<?xml*", "<xml>*", "<@>*</@>", "<@><@>*", "<@ @=\"*\"*>*"])),
        KnownForm(
            "jsonp", .document, "JSONP: a call around JSON", keepJSON,
            .text([
                "@({*", "@([*", "/**/@({*", "/**/ @({*", "/**/@ && @({*", "@ && @({*", "window.@({*", "window[*({*",
                "try{@({*",
                "typeof @ === *({*", "/\\*\\*/@({*", "/\\*\\*/ @({*", "/\\*\\*/@ && @({*", "/\\*\\*/typeof @*({*",
                "/\\*\\*/ typeof @*({*",
                "@ && @([*",
                "({*})", "({*});",
            ]).and(.jsonInCall)),
        KnownForm(
            "json-guarded", .document, "JSON behind a line that keeps browsers from running it",
            keepJSON,
            .text([")]}'*", "while(1);*", "for(;;);*", "while (1);*", "{}&&*", "&&&START&&&*"])),
        KnownForm(
            "javascript", .document, "JavaScript", "have the program write JSON.stringify(value)",
            .text([
                "var @*=*", "let @*=*", "const @*=*", "module.exports*", "export default *", "window.@~=*", "return {*",
                "function *",
                "'use strict'*", "\"use strict\"*", "import @ from*", "@ => *",
            ])),
        KnownForm(
            "markdown-fence", .document, "JSON between the marks of Markdown", keepJSON,
            .text(["```*"])),
        KnownForm(
            "event-stream", .document, "server-sent events",
            "take what follows data: of one event: " + fromEvent,
            .text(["data: *", "event: *", "id: #\n*", "data:{*", "event:@*", ":ok*", "retry: #*", ": *\n*data:*"])),
        KnownForm(
            "java-map", .document, "a printed map of Java or Kotlin (toString)",
            "have the program write JSON: new JSONObject(map).toString() or objectMapper.writeValueAsString(map)",
            .text([
                "{~@=*", "[{@=*", "Bundle[{*", "Bundle[*", "PersistableBundle[{*", "{@={*", "Intent {*",
                "LinkedHashMap {*", "HashMap{*", "ReadableNativeMap: *", "{ NativeMap: *", "Optional[{*",
            ])),
        KnownForm(
            "nslog-dictionary", .document, "a printed dictionary of Objective-C (NSLog, description)",
            "have the app write JSON: JSONSerialization.data(withJSONObject: dictionary)",
            .text([
                "{~@~=~*;*", "{~\"@\" = *;*", "(~{~@ = *;*", "(~\"*\",~*", "Optional({~@ = *",
                "(\n    {*", "{~\"*\" = *;*",
            ])),
        KnownForm(
            "swift-dictionary", .document, "a printed dictionary of Swift",
            "have the app write JSON: JSONSerialization.data(withJSONObject: dictionary), "
                + "or JSONEncoder().encode(value)",
            .text([
                "[\"*\": *", "[AnyHashable(*", "[[\"*\": *", "[*: AnyHashable(*", "[@.@: *", "[:]", "[@: *",
                "Optional(@.@(*",
            ])),
        KnownForm(
            "go-map", .document, "a printed map or struct of Go",
            "have the program write json.Marshal(value)",
            .text([
                "map[*:*]", "map[@:*", "&{*", "{true *", "{false *", "{@:@ @:*", "{@: @:*", "{@:{@:*", "{@:[*] @:*",
                "{@:map[*", "&main.@{*", "main.@{*", "&map[*",
                "map[string]*{*", "@.@{@:*", "&@.@{*", "url.Values{*", "0xc000*",
            ])),
        KnownForm(
            "ruby-hash", .document, "a printed hash of Ruby", "have the program write value.to_json",
            .text([
                "{\"*\"=>*", "{:@=>*", "{~@: *\" => *", "{~@: *, :@ => *", "{~\"*\" => *", "[{\"*\"=>*",
                "#<OpenStruct *", "#<struct *", "#<@ @:*",
                "\\#<OpenStruct *", "\\#<struct *", "\\#<Hash*", "\\#<ActionController::Parameters *", "{'*'=>*",
                "<ActionController::Parameters*",
            ])),
        KnownForm(
            "object-literal", .document, "a printed object of JavaScript or Dart",
            "have the program write JSON: JSON.stringify(value), in Dart jsonEncode(value), in Ruby value.to_json",
            .text([
                "{~@:~*", "[~{~@:~*", "Object {*", "{ '*':*", "{~'*':~true*", "{~'*':~false*", "{~'*':~null*",
                "{~'*':~undefined*", "Map(#) {*", "Map {*", "_Map {*", "[Object: null prototype] {*", "{@: *",
                "Map<@, @>*", "@Object {*", "{~\\[@\\]:*", "Proxy {*", "Proxy(Object) {*", "▸{*", "▶{*", "▶ {*",
                "IdentityMap*",
            ])),
        KnownForm(
            "python-dict", .document, "a printed dict of Python",
            "have the program write json.dumps(value)",
            .text([
                "{'@':*", "[{'*", "{b'*", "OrderedDict(*", "defaultdict(*", "dict_items(*", "{u'*", "<QueryDict: *",
                "ImmutableMultiDict(*", "namespace(*", "Munch(*", "{\"*\": True*", "{\"*\": False*", "{\"*\": None*",
                "[(('*", "[('*", "mappingproxy(*",
            ])),
        KnownForm(
            "php-array", .document, "a printed or serialised array of PHP",
            "have the program write json_encode($value)",
            .text([
                "Array~(*", "array(#)~{*", "array:#~[*", "array (*", "array(~'*", "a:#:{*", "O:#:\"*",
                "stdClass Object*", "stdClass::__set_state*", "@ Object~(*", "[~'*'~=>*", "object(@)\\##*",
                "(object)~array*", "(object) array*", "^ array:#*", "s:#:\"*", "[~\"*\" => *", "\\stdClass::__set*",
                "\\\\stdClass::__set_state*", "object(@)#*",
            ])),
        KnownForm(
            "json-shell", .document, "a document of MongoDB's shell (ObjectId(…), NumberInt(…))",
            "have it write JSON: EJSON.stringify(document)",
            .text(["{*: ObjectId(*", "{*:ObjectId(*", "{*:Number@(*", "{*: Number@(*", "{*ISODate(*"]).and(.notJSON)),
        KnownForm(
            "record", .document, "a printed object of a program",
            "have the program write JSON with its serialiser: Gson, Jackson, JSONEncoder, System.Text.Json, "
                + "ConvertTo-Json",
            .text([
                "\\@{@=*", "{@ = *", "{\"@\": @(*", "[@] @ = @ {*", "[@:#] @ = *", "[@/*] @ = *", "@(@=*", "@[@=*",
                "@{@=*", "@(@: *", "@ {~@ = *", "@ {~@: *", "{ @ = *", "Some(@*", "Ok(@*",
                "Record { *", "@{@:*", "@.@(@: *", "@(super=*", "Ok(*", "Some(*",
                // Erlang and Elixir, Scala, Groovy, Clojure, Julia, Perl, Haskell, R.
                "\\#{@ => *", "\\#{<<\"*", "%{@: *", "%{\"*\" => *", "%@{*", "Map(@ -> *", "HashMap(@ -> *",
                "[@:@, @:*", "{:@ *, :@ *", "{:@ *\n :@ *", "Dict{*", "Dict(*", "$VAR1 = *", "fromList [*", "$@\n[1] *",
            ])),
        KnownForm(
            "nserror", .document, "a printed error of an app (NSError), not a result",
            "read its domain and code: they say what failed",
            .text(["Error Domain=*", "Optional(Error Domain=*", "NSError *"])),
        KnownForm(
            "binary-document", .document, "a document in MessagePack, CBOR or BSON, or a message of gRPC, not JSON",
            "have the program write JSON",
            .rule(.binaryMap), .rule(.bson), .rule(.grpcFrame)),
        KnownForm(
            "serialized-object", .document, "an object that Java or Python serialised (ObjectOutputStream, pickle)",
            "have the program write JSON",
            // Three bytes begin one ciphertext in 2^24 as well.
            .bytes([
                "ACED0005(7078)", "80(0405)95......0000000000", "80(0203)5D71(0001)", "80(0203)7D71(0001)",
                "80(0203)63636F70795F7265670A", "80(0203)635F5F6D61696E5F5F0A",
            ])),
        KnownForm(
            "rtf", .document, "a document of a text processor (RTF)", "save it as plain text", .text(["{\\\\rtf*"])),
        KnownForm(
            "powershell-list", .document, "what PowerShell prints of an object",
            "have it write ConvertTo-Json",
            .text([
                "Name ~Value~\n----*", "@ ~: *\r\n@ ~: *", "Name *Value *\n--*", "@ @\r\n-*", "Name *Value*\r\n--*",
                "\\@{@=*;*}",
            ])
        ),
        KnownForm(
            "properties", .document, "several name=value (a properties or .env file, or a log)",
            "keep only the value that is needed",
            .text([
                "@=*\n@=*", "@=*\r\n@=*", "export @=*", "@ = *\n@ = *", "\\# *\n@=*", "@=@ @=*", "@=@, @=*",
                "@=@; @=*", "@=@;@=*", "@=\"*\" @=*",
            ])),
        KnownForm(
            "diff", .document, "a diff, or a merge that git did not finish",
            "take the file itself, without the marks of git",
            .text(["--- *\n+++ *", "diff -*", "\\@\\@ -*", "<<<<<<< *", "Index: *\n===*"])),
        KnownForm(
            "yaml", .document, "YAML",
            "convert it: python3 -c 'import json,sys,yaml;y=yaml.SafeLoader(sys.stdin);"
                + "f=lambda n:\"{\"+\",\".join(json.dumps(str(k.value))+\":\"+f(v) for k,v in n.value)+\"}\" "
                + "if n.id==\"mapping\" else \"[\"+\",\".join(map(f,n.value))+\"]\" if n.id==\"sequence\" "
                + "else json.dumps(y.construct_object(n),default=str);"
                + "sys.stdout.write(f(y.get_single_node()))' < FILE > COPY",
            .text([
                "---\n*", "%YAML*", "---\r\n*", "@: @\n@: *", "@: \"*\"\n@:*", "@: '*'\n@:*", "@: @\r\n@: *",
                "@:\n  @: *", "@:\n- *", "- @: *\n*",
            ])),
        KnownForm(
            "toml", .document, "TOML or an INI file", "have the program write JSON",
            .text(["[@]~@~=*", "\\# *\n*@ = *", "; *\n[@]*"])),
        KnownForm(
            "csv", .document, "CSV, as a table or a database writes it", "have the program write JSON",
            .text([
                "@,@,@\n*,*", "\"@\",\"@\"*\n*", "@,@,@\r\n*", "@,@\n@,*", "@\t@\t@\n*", "@;@;@\n*", "+-*-+\n|*",
                "@ | @*\n-*", "#) \"*\"\n#) *",
                "@,@,@,@\n*,*", "@,@,@,@,@*\n*,*", "@|@|@*\n*|*", "@\t@\n*\t*", "@,@\r\n@,*", "| @ | @*\n|*",
            ]), .rule(.table)),
        KnownForm(
            "mysql-rows", .document, #"rows that mysql printed one below the other (\G)"#,
            "have it write the value alone, with mysql -N -B -r -e STATEMENT",
            .text(["\\*\\*\\** row \\*\\**"])),
        KnownForm(
            "sql", .document, "SQL", "have the program write the value alone",
            .text([
                "INSERT INTO *", "SELECT *", "UPDATE *", "insert into *", "select * from*", "-- *\nINSERT*",
                "CREATE TABLE*",
            ])),
        KnownForm(
            "json-lines", .document, "several JSON documents, one after the other",
            "look at each of them before you take one, as they may contradict each other: "
                + "grep -niE 'success|video' FILE | cut -c1-99 finds results, and sed -n Np FILE > COPY takes line N; "
                + JSONScanner.piecesOfLog,
            .text(["{*}\n{*", "{*}\r\n{*"]).and(.jsonLines)),
        KnownForm(
            "json-joined", .document, "several JSON documents, one after the other",
            "write each to a line of its own: " + splitJSON,
            .text(["{*}\n{*", "{*}\r\n{*", "{*}{*", "{*} {*", "[*]\n[*"]).and(.severalJSON)),
        KnownForm(
            "json-comments", .document, "JSON with comments or loose spelling (JSON5)",
            "have the program write JSON: no comments, quotation marks around every name; comments in front, NaN and "
                + "the like, and commas before a bracket go with " + withoutComments,
            .text([
                "// *\n*{*", "/\\**\\*/*{*", "{~//*", "{~/\\**", "[~//*", "\\#*\n{*", "{*\n*// *\n*}", "{*, //*",
                "{*:~NaN*", "{*:~Infinity*", "{*:~-Infinity*", "{*:~undefined*", "{*,~}", "[*,~]", "{*: \\.#*",
            ])
            .and(.notJSON)),
        KnownForm(
            "json-in-cell", .encoding, "a cell of CSV, in which each quotation mark is doubled",
            "take it out of its cell: "
                + #"perl -0777 -pe 's/^\s*"//; s/"\s*$//; s/""/"/g' FILE > COPY"#,
            .rule(.doubledQuotes)),
        KnownForm(
            "json-escaped-in-hex", .encoding, #"text whose quotation marks were written as \x22, as nginx logs them"#,
            "decode it: "
                + #"perl -pe 's/\\(?:x|u00)([0-9A-Fa-f]{2})/chr hex $1/ge' FILE > COPY; or log with escape=json"#,
            .rule(.escapedInHex)),
        KnownForm(
            "json-escaped", .encoding, "text with a backslash before each quotation mark, as inside a string",
            decodeString,
            .rule(.escapedJSON)),
        KnownForm(
            "json-after-words", .document, "JSON with words before it", keepJSON,
            .text([
                "@ = {\"*", "@ @ = {\"*", "@ @ @ = {\"*", "@: {\"*", "@ @: {\"*", "@ @ @: {\"*", "@:{\"*", "@ @:{\"*",
                "@ @={\"*", "@ {\"*", "@ @ {\"*", "@ = [{\"*", "@: [{\"*", "@=>{\"*", "@ => {\"*",
            ])),
        KnownForm(
            "json-html", .document, "JSON with HTML's spelling of quotation marks",
            "decode them: python3 -c 'import html,sys;sys.stdout.write(html.unescape(sys.stdin.read()))' < FILE > COPY",
            .text([
                "{&quot;*", "{~&quot;*", "{&#34;*", "{~&#34;*", "{&\\#34;*", "{~&\\#34;*", "[{&quot;*", "{&\\#x22;*",
                "{&#x22;*",
            ])),
        KnownForm(
            "json-other-encoding", .document, "JSON in another encoding than UTF-8",
            "write it in UTF-8; from GBK (Chinese Windows): iconv -f GB18030 -t UTF-8 FILE > COPY",
            .rule(.jsonOtherEncoding)),
        KnownForm(
            "json-hidden", .document,
            "JSON with invisible characters between its members (no-break spaces, byte-order marks)",
            #"remove them: perl -CSD -pe 's/[\x{A0}\x{200B}-\x{200F}\x{2060}\x{3000}\x{FEFF}]//g' FILE > COPY"#,
            .rule(.jsonHidden)),
        KnownForm(
            "json-broken-lines", .document,
            "JSON with line breaks inside its texts (wrapped by an e-mail or an editor)",
            #"remove the line breaks: perl -0777 -pe 's/\r?\n[ \t]*//g' FILE > COPY"#, .rule(.jsonBrokenLines)),
        KnownForm(
            "json-cited", .document, "JSON with the marks of a quotation (>) before its lines, as an e-mail cites it",
            #"remove the marks and the line breaks: perl -0777 -pe 's/^(> ?)+//mg; s/\r?\n[ \t]*//g' FILE > COPY"#,
            .text(["> {*", ">{*", "> > {*", ">> {*", "> [{*", ">[{*", "| {*\n|*"])),
        KnownForm(
            "json-curly", .document, "JSON with typographic or full-width punctuation",
            "copy it from the program, or mend it: perl -CSD -pe "
                + #"'tr/\x{201C}-\x{201F}\x{FF02}\x{FF5B}\x{FF5D}\x{FF3B}\x{FF3D}\x{FF1A}\x{FF0C}/"""""{}[]:,/' "#
                + "FILE > COPY",
            .all([.bytes(["7B", "5B"]), .rule(.legacyQuotes)]),
            .text(["{~“*", "{~”*", "[~“*", "{~‘*", "{~„*", "{~«*", "[~{~“*", "{~＂*", "{~〝*", "｛*", "{~\"@\"~：*"])),
    ]
}
