// SPDX-License-Identifier: Apache-2.0

/// A sign that needs counting or decoding. The raw value says it in words, for the page.
enum Rule: String, CaseIterable, Sendable {
    case isEmpty = "no bytes"
    case isBlank = "nothing but white space"
    case isZeros = "nothing but zero bytes"
    case isText = "UTF-8 without control characters"
    case isWord = "a word or number of ASCII, without blanks"
    case questionMarks = "control characters, none above 7F, and a quarter or more question marks"
    case lostBytes = "UTF-8 with U+FFFD and control characters"
    case latin1 = "UTF-8 with control characters, none beyond U+00FF"
    case windows1252 = "UTF-8 with control characters, none that Windows-1252 does not have"
    case utf16Big = "every first byte of two is zero, and no byte-order mark"
    case utf16 = "a byte-order mark of UTF-16, or every second byte is zero"
    case utf32 = "a byte-order mark of UTF-32, or three of four bytes are zero"
    case base64Escaped = "base64 with `\\n` or `\\r` written out"
    case slashesAlone = "base64 with backslashes before `/` alone"
    case base64LostPlus = "base64 without `+` whose length is right with the blanks inside its lines"
    case pemCR = "PEM with carriage returns and without line feeds"
    case pemHidden = "PEM with no-break or zero-width spaces or a byte-order mark inside"
    case pemSlashes = "PEM in which every slash has a backslash before it"
    case pemHex = "PEM with nothing but hexadecimal digits"
    case pemURLSafe = "PEM with `-` or `_`, and with neither `+` nor `/`"
    case pemEmptyLines = "PEM with empty lines, but for the one behind its headers"
    case pemHeaders = "PEM whose headers are not lines with one empty line behind them"
    case pemJoined = "PEM with base64 beside the dashes of its first or its last line"
    case pemForeign = "PEM with characters other than base64 and white space, but for its headers"
    case textMode = "DER whose length is right once each CR LF in it is a LF"
    case trailingComma = "base64 or hexadecimal digits with a comma or a semicolon after them"
    case pemUnpadded = "PEM whose base64 has no `=`, and otherwise the length that its DER gives"
    case pemOtherLength = "PEM whose base64 has another length than its DER gives"
    case surroundedMedium =
        "the text of a field: `[`, `(`, `{` or `<`, then a photo or a video in base64, and at most 64 bytes behind it"
    case pythonBytes = "`b`, then a string in quotation marks, perhaps as `bytearray(…)`"
    case escapedBytes = "eight bytes or more as `\\xff`, `\\377` or `\\u00ff`, and no character above 7F"
    case wrappedValue = "`Optional(…)`, `Optional[…]`, `Some(…)`, `Success(…)` or `Just …` around one value"
    case optionalText = "`Optional(` and base64 or hexadecimal digits in quotation marks"
    case pythonText = "`b`, then base64 or hexadecimal digits in quotation marks"
    case quotedText = "quotation marks around all of it"
    case base64 = "the alphabet of base64 (standard or URL-safe; line breaks, blanks) and a length it has"
    case base32 = "the alphabet of base32 (RFC 4648), 32 characters or more"
    case htmlEntities = "base64 or hexadecimal digits with `&#43;`, `&amp;`, `<br>` or the like in them"
    case elided = "base64 or hexadecimal digits, then `...`, `…` or `***`"
    case hiddenCharacters = "base64 or hexadecimal digits with no-break, wide or zero-width spaces"
    case base64URL = "base64 with `-` or `_`, and with neither `+` nor `/`"
    case base64Tencent = "base64 with `*` for `+`, `-` for `/` and `_` for `=`"
    case joinedHex = "48 hexadecimal digits or more, half of the text or more, with other letters or digits beside them"
    case hexInCode = "eight bytes or more as `0x` and hexadecimal digits, as many as other words or more"
    case parts = "two or three texts in base64 or hexadecimal digits with a mark (`:` `.` `,` `|` `;` `$`) between them"
    case unpaddedBase64 = "base64 without `=` where it needs one or two"
    case cutDER = "base64 of DER whose length is greater than what there is"
    case wideCharacters = "base64 or hexadecimal digits with full-width forms of characters"
    case pemDashCount = "PEM with fewer or more than five dashes beside `BEGIN` or `END`"
    case hex = "hexadecimal digits, an even number of them, with or without line breaks"
    case oddHex = "hexadecimal digits, an odd number of them, with or without line breaks"
    case prefixedHex = "`0x`, `\\x` or `x'`, then hexadecimal digits"
    case escapedSlashes = "base64 with backslashes before `/`, `n`, `r`, `t`, `u` or quotation marks"
    case bracketedHex = "`<`, 16 bytes or more in hexadecimal digits, perhaps with blanks, and `>` at the end"
    case spacedHex = "pairs of hexadecimal digits with blanks, colons, commas, `0x` or `\\x` between them"
    case decimals = "decimal numbers from 0 to 255 with commas or blanks between them"
    case signedDecimals = "decimal numbers from -128 to 127, some of them negative"
    case percent = "characters of a URL, with `%` and two hexadecimal digits"
    case wordArray = "32-bit numbers under `words`, and `sigBytes`"
    case numbersUnderData = "numbers under `data`"
    case numberedBytes = "members `0`, `1` and so on, with numbers"
    case json = "JSON, as far as it was looked at"
    case jsonMembers = "a name in quotation marks, a colon, and JSON once braces are put around all of it"
    case escapedJSON = "JSON whose quotation marks have a backslash before them"
    case formBody = "`name=value` pairs with `&` between them"
    case assignment = "one `name=value`, or a value of 16 bytes or more behind a name and a colon"
    case jsonInside = "JSON with other text before or after it"
    case jsonBrokenLines = "JSON once its line breaks are left out, and none with them"
    case jsonOtherEncoding = "JSON once its bytes beyond ASCII are left out, and not UTF-8"
    case jsonHidden =
        "JSON once no-break, wide and zero-width spaces and byte-order marks are left out, and none with them"
    case table = "lines with the same number of tabs, bars, commas or semicolons; two at least where there are blanks"
    case bson = "a length of four bytes that is the document's, and elements of BSON"
    case grpcFrame = "a zero or one, and a length of four bytes that is the rest's"
    case dicom = "128 bytes, then `DICM`"
    case markedBytes = "a byte-order mark of UTF-8, and behind it no UTF-8, but something known"
    case legacyQuotes = "ASCII but for quotation marks of Windows-1252 (91–94) or GBK (A1 AE–B1)"
    case jsonInCall = "JSON, or its beginning, between the parentheses"
    case binaryMap = "a map of MessagePack or CBOR whose first name is a name"
    case namesHEIC = "a file type (`ftyp`) with a brand of HEIF, and none of a video"
    case namesAVIF = "a file type (`ftyp`) with a brand of AVIF"
    case pemInCode = "PEM with quotation marks around its lines"
    case pemOfParts = "PEM with a call, a variable or a name between what is in quotation marks"
    case pemOnOneLine = "PEM without a line break"
    case pemIndented = "PEM with a mark, a number, white space or other text before each of its lines"
    case isShort = "less than 80 bytes"
    case pemWithBlanks = "PEM with blanks inside its lines"
    case pemWithoutEnd = "PEM without an END line"
    case uuidsOrNumbers = "a number or a UUID"
    case noUUID = "no UUID, and not as many hexadecimal digits, in its brackets"
    case mpegStream = "the byte 47 every 188 bytes"
    case tar = "`ustar` at byte 257"
    case zlib = "a header of zlib (RFC 1950) and a block type that there is"
    case bouncyKeystore = "a version, then a salt of 20 bytes and its count"
    case openPGP = "a packet of OpenPGP whose length and version fit"
    case fernet = "the version 80, then a time stamp of this century"
    case namesWebM = "the document type webm"
    case dots5 = "four dots"
    case dots3 = "two dots"
    case doubleColon = "base64, two colons, and 16 bytes or their base64"
    case jsonLines = "the first document ends with its line"
    case severalJSON = "the first document ends before the text does"
    case partOfJSON = "JSON from somewhere inside it: members outside all brackets, or a bracket that closes too many"
    case callback = "the query of a callback (`newSignature=`, `newSign=`, or `h5faceId=` and `code=`), and no brace"
    case notJSON = "not JSON, however long it is"
    case objectName = "no white space outside its brackets"
    case notDecimals = "not a list of bytes"
    case binaryDigits = "nothing but the digits 0 and 1, eight for each byte"
    case quotedPrintable = "lines that end in `=`, or `=` and two upper-case hexadecimal digits"
    case dataURI = "`data:` and a comma, or `base64` and a comma, at the start"
    case base64Label = "`base64:` at the start"
    case doubledQuotes = "a quotation mark, then JSON in which each of them is doubled"
    case escapedInHex = "JSON whose quotation marks are written as `\\x22` or `\\u0022`"
    case path = "an absolute or relative path with an extension or a known folder"

    func match(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .isEmpty: found(sample.byteCount == 0)
        case .isBlank: found(sample.byteCount > 0 && sample.text.isEmpty && sample.isOnly(isWhite))
        case .isZeros: found(sample.byteCount > 0 && sample.counts[0] == sample.byteCount)
        case .isText: found(sample.byteCount > 0 && sample.isText)
        case .isWord: found(sample.isWhole && sample.text.count > 0 && sample.text.allSatisfy { 0x21...0x7E ~= $0 })
        case .questionMarks: found(questionMarks(sample))
        case .lostBytes: found(sample.scalars.isValid && sample.scalars.replacements > 0 && isBinary(sample))
        case .latin1: undone(sample, sample.scalars.windows == 0, unicode: false)
        case .windows1252: undone(sample, sample.scalars.windows > 0, unicode: true)
        case .utf16Big, .utf16: self == .utf16 || sample.head.first == 0 ? utf16(sample) : nil
        case .wrappedValue: wrappedValue(sample)
        case .optionalText: optionalText(sample)
        case .pythonText: pythonText(sample)
        case .quotedText: quoted(sample) ?? legacyQuotes(sample).flatMap { $0.bytes == nil ? nil : $0 }
        case .base64: base64(sample)
        case .htmlEntities: htmlEntities(sample)
        case .base64URL:
            (sample.has("-") || sample.has("_")) && !sample.has("+") && !sample.has("/") ? base64(sample) : nil
        case .hex, .oddHex: hex(sample)
        case .joinedHex, .hexInCode, .parts, .unpaddedBase64, .cutDER, .wideCharacters, .pemDashCount,
            .hiddenCharacters, .base32, .elided, .base64Tencent, .noUUID, .surroundedMedium, .pythonBytes,
            .escapedBytes:
            mixed(sample)
        case .prefixedHex: prefixedHex(sample)
        case .escapedSlashes: escapedSlashes(sample)
        case .spacedHex: spacedHex(sample)
        case .bracketedHex: bracketedHex(sample)
        case .utf32: utf32(sample)
        case .base64LostPlus: base64LostPlus(sample)
        case .base64Escaped, .slashesAlone: base64Escaped(sample)
        case .decimals, .signedDecimals: decimals(sample, signed: self == .signedDecimals)
        case .percent: percent(sample)
        case .wordArray: wordArray(sample)
        case .numbersUnderData:
            numbers(sample, after: "\"data\"").map { .init(bytes: $0.map { UInt8(truncatingIfNeeded: $0) }) }
        case .numberedBytes: numberedBytes(sample)
        case .json, .jsonMembers: self == .json ? json(sample) : jsonMembers(sample)
        case .escapedJSON, .doubledQuotes, .escapedInHex: quotesRewritten(sample)
        case .formBody, .assignment: form(sample, severalNames: self == .formBody)
        case .jsonInside: jsonInside(sample)
        case .jsonBrokenLines: found(jsonBrokenLines(sample))
        case .jsonOtherEncoding: found(jsonOtherEncoding(sample))
        case .jsonHidden: found(jsonHidden(sample))
        case .table: found(table(sample))
        case .markedBytes: markedBytes(sample)
        case .legacyQuotes: legacyQuotes(sample)
        case .jsonInCall: jsonInCall(sample)
        case .pemOnOneLine, .pemWithBlanks, .pemWithoutEnd, .pemIndented, .pemForeign, .pemHeaders, .pemJoined:
            pem(sample)
        case .pemCR, .pemHidden, .pemSlashes, .pemHex, .pemURLSafe, .pemEmptyLines, .pemInCode: pemBody(sample)
        case .pemOfParts, .pemUnpadded, .pemOtherLength: pemBody(sample)
        case .trailingComma: trailingComma(sample)
        case .isShort, .callback: found(self == .isShort ? sample.byteCount < 80 : callback(sample))
        case .uuidsOrNumbers: numberOrUUID(sample)
        case .dots3, .dots5: found(sample.isWhole && sample.counts[0x2E] == (self == .dots3 ? 2 : 4))
        case .doubleColon: doubleColon(sample)
        case .severalJSON, .jsonLines: self == .jsonLines ? jsonLines(sample) : severalJSON(sample)
        case .partOfJSON, .notJSON: found(self == .partOfJSON ? partOfJSON(sample) : json(sample) == nil)
        case .objectName: found(objectName(sample.text))
        case .notDecimals: found(decimals(sample, signed: false) == nil && decimals(sample, signed: true) == nil)
        case .binaryDigits: found(binaryDigits(sample))
        case .quotedPrintable: quotedPrintable(sample)
        case .binaryMap, .namesHEIC, .namesAVIF, .mpegStream, .tar, .zlib, .bouncyKeystore, .openPGP, .fernet,
            .namesWebM, .bson, .grpcFrame, .dicom, .textMode:
            binary(sample)
        case .dataURI: dataURI(sample)
        case .base64Label: base64Label(sample)
        case .path: path(sample)
        }
    }

    /// What has other characters among those of an encoding, or lacks some.
    private func mixed(_ sample: Sample) -> KnownForm.Match? {
        switch self {
        case .joinedHex: joinedHex(sample)
        case .hexInCode: hexInCode(sample)
        case .parts: found(parts(sample))
        case .unpaddedBase64: unpaddedBase64(sample)
        case .cutDER: found(cutDER(sample))
        case .wideCharacters: wideCharacters(sample)
        case .hiddenCharacters: hiddenCharacters(sample)
        case .base32: base32(sample)
        case .elided: elided(sample)
        case .base64Tencent: base64Tencent(sample)
        case .surroundedMedium: surroundedMedium(sample)
        case .pythonBytes, .escapedBytes: escapedBytes(sample)
        case .noUUID:
            found(sample.text.count { hexValue($0) != nil } < 32 || sample.text.contains(where: isNoPartOfUUID))
        default: found(pemDashCount(sample))
        }
    }

    func found(_ isFound: Bool) -> KnownForm.Match? { isFound ? .init() : nil }
}
