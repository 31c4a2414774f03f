// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams
internal import MediaStructure
internal import Recognition

/// The kind of opened content, all of which was examined.
struct WalkedContent {
    /// Its kind; `nil` if it begins like nothing known.
    let kind: ContentKind?
    /// Whether it was followed to its end without a fault.
    let isComplete: Bool
    /// The fault, in a sentence without content.
    let fault: String?
    /// The content encoded in it.
    let inner: ContentKind?
    /// Whether the encoding is base64 as the standard has it, which profiles decode.
    let isStandard: Bool
    /// What the table of forms says of a text, or of what is of no kind.
    fileprivate(set) var form: FieldForm?
    /// How its base64 was changed on the way; `nil` where that does not show.
    fileprivate(set) var spelling: KnownForm?
    /// What became of its bytes where they were taken for text before they were sealed; `nil` if they were not.
    fileprivate(set) var throughText: KnownForm?
    /// Zero bytes after it.
    let trailingZeroCount: UInt64
    /// Whether its last bytes mark its end.
    let hasEnd: Bool
    /// Whether it is a video that begins with another box than its file type: a movie of old, or one that lost its
    /// beginning, which nothing tells apart.
    let lacksFileType: Bool
    /// Whether there are no bytes at all.
    fileprivate(set) var isEmpty = false

    init(
        _ kind: ContentKind?, isComplete: Bool, fault: String? = nil, inner: ContentKind? = nil,
        trailingZeroCount: UInt64 = 0, hasEnd: Bool = false, lacksFileType: Bool = false, isStandard: Bool = true
    ) {
        self.isStandard = isStandard
        self.hasEnd = hasEnd
        self.lacksFileType = lacksFileType
        self.kind = kind
        self.isComplete = isComplete
        self.fault = fault
        self.inner = inner
        self.trailingZeroCount = trailingZeroCount
    }

    /// - Parameter media: the finding of a media inspector.
    fileprivate init(_ media: MediaContent) {
        switch media {
        case .mp4(let brand):
            self.init(
                .mp4, isComplete: true, trailingZeroCount: brand.trailingZeroCount, hasEnd: !brand.isOpenEnded,
                lacksFileType: brand.major.isEmpty)
        case .jpeg(let image): self.init(.jpeg, image)
        case .png(let image): self.init(.png, image)
        case .damaged(let fault):
            let kinds = ["MP4": ContentKind.mp4, "JPEG": .jpeg, "PNG": .png]
            self.init(kinds[fault.format], isComplete: false, fault: "\(fault)")
        case .unknown, .empty, .notBase64: self.init(nil, isComplete: false)
        }
    }

    private init(_ kind: ContentKind, _ image: ImageStructure) {
        let count = image.trailingByteCount
        self.init(kind, isComplete: count == 0, fault: count == 0 ? nil : "\(count) bytes follow its end", hasEnd: true)
    }

    /// Whether it is text, or an encoding of something unknown: nothing shows whether that is complete.
    var isText: Bool { kind == .text || inner == nil && [.base64, .hex, .dataURI].contains(kind) }

    /// What is known of its completeness, where no fault was found, in a clause.
    var wholeness: String {
        isText ? "the content is \(name), which does not show whether it is complete" : "the content is complete"
    }

    /// In words.
    var name: String {
        if let spelling { return spelling.name }
        if let form { return form.name }
        guard let kind else { return isEmpty ? "nothing, 0 bytes" : "nothing known here" }
        let name = kind.name + (isStandard || kind == .json ? "" : ", URL-safe or unpadded")
        guard let inner else { return name }
        return kind == .json
            ? "JSON with base64 of \(inner.name) in it" : "\(name)\(isStandard ? "" : ",") of \(inner.name)"
    }

    /// How to decode the content encoded in it, if opening does not do that.
    var wayOut: String? {
        if let spelling { return spelling.step }
        if let form { return form.step ?? form.layers.first?.step }
        return switch kind {
        case .base64 where !isStandard: KnownForm.named("base64-url")?.step
        case .dataURI where !isStandard:
            "decode the output once more, from its comma on: sed 's/^[^,]*,//' | tr -- '-_' '+/' | base64 -d"
        case .base64 where inner == nil: "decode the output once more: base64 -d"
        case .hex: "decode the output once more: xxd -r -p"
        case .dataURI where inner == nil:
            "decode the output once more, from its comma on: sed 's/^[^,]*,//' | base64 -d"
        case .json where inner != nil: "decode the member of the output that is base64: jq -r .NAME | base64 -d"
        case .other(let format): format.advice
        default: nil
        }
    }
}

/// Follows opened content to its end, in constant memory. Keeps nothing of it.
final class ContentWalk: ByteDestination {
    private enum Reader {
        case undecided
        case media(MediaInspector)
        case json(JSONWalk)
        case text(TextWalk)
        case encoded(ContentKind, EncodedWalk)
        case none(ContentKind?)
    }

    private static let headByteCount = 512
    /// How many U+FFFD show that bytes went through text: of random bytes, three in a row are one once in 2^24 times.
    private static let replacements: UInt64 = 3

    let isWithheldUntilFinished = true
    private var reader = Reader.undecided
    private var head: [UInt8] = []
    private var form: FieldForm?
    private var spelling: KnownForm?
    /// Whether what passed is text, which shows in media that went through a text type.
    private var scalars = ScalarCounts()
    private var byteCount: UInt64 = 0

    func write(_ bytes: Span<UInt8>) {
        byteCount += UInt64(bytes.count)
        scalars.append(bytes)
        guard case .undecided = reader else { return walk(bytes) }
        let count = min(Self.headByteCount - head.count, bytes.count)
        for i in 0..<count { head.append(bytes[i]) }
        guard head.count == Self.headByteCount else { return }
        decide(isComplete: false)
        walk(bytes.extracting(count...))
    }

    func finish() {
        if case .undecided = reader { decide(isComplete: true) }
        scalars.finish()
    }

    func abandon() {}

    /// The result, after ``finish()``.
    func content() -> WalkedContent {
        var content = walked()
        content.form = form
        content.spelling = spelling
        content.isEmpty = byteCount == 0
        if !content.isComplete, [.mp4, .jpeg, .png].contains(content.kind), scalars.isValid {
            let id = scalars.replacements >= Self.replacements ? "lost-bytes" : scalars.latin > 3 ? "latin1" : ""
            content.throughText = KnownForm.named(id)
        }
        return content
    }

    private func walked() -> WalkedContent {
        switch reader {
        case .undecided: return WalkedContent(nil, isComplete: false)
        case .media(var inspector): return WalkedContent(inspector.finish())
        case .json(let walk): return walk.content()
        case .text(let walk): return WalkedContent(.text, isComplete: walk.finish())
        case .encoded(let kind, var walk):
            let (isComplete, inner) = walk.finish()
            return WalkedContent(
                kind, isComplete: isComplete && inner.fault == nil, fault: inner.fault, inner: inner.kind,
                // Line breaks after it are not decoded.
                hasEnd: inner.kind != nil, lacksFileType: inner.lacksFileType, isStandard: walk.isStandard)
        case .none(let kind): return WalkedContent(kind, isComplete: false)
        }
    }

    private func decide(isComplete: Bool) {
        let kind = ContentKind(head: head, isWhole: isComplete)
        form = Self.form(of: head, kind, isWhole: isComplete)
        spelling = Self.spelling(of: head, form)
        reader =
            switch kind {
            case .mp4, .jpeg, .png: .media(MediaInspector(takingOldMovies: true))
            case .json: .json(JSONWalk())
            case .text: .text(TextWalk())
            case .base64 where form != nil: .text(TextWalk())
            case .base64: .encoded(.base64, EncodedWalk(hasFront: false))
            case .hex: .encoded(.hex, EncodedWalk(hasFront: false, encoding: .hexLines))
            case .dataURI: .encoded(.dataURI, EncodedWalk(hasFront: true))
            case .other, nil: .none(kind)
            }
        let head = head
        walk(head.span)
    }

    /// What is sealed in place of a photo or a video, if it is more than its kind.
    private static func form(of head: [UInt8], _ kind: ContentKind?, isWhole: Bool) -> FieldForm? {
        guard [.text, .json, .base64, nil].contains(kind) else { return nil }
        var beginning = TextBeginning()
        beginning.append(head.span)
        let form = isWhole ? beginning.formOfBytes : beginning.formOfBeginning
        return switch kind {
        case .json: form?.layers.first?.family == .encoding ? form : nil
        // Its characters are those of base64 as well.
        case .base64: form?.layers.first?.id == "base32" ? form : nil
        default: form
        }
    }

    /// What base64 with blanks inside its lines is: decoders skip the blanks, and write other bytes.
    private static func spelling(of head: [UInt8], _ form: FieldForm?) -> KnownForm? {
        guard form?.layers.first?.id == "base64", !head.contains(UInt8(ascii: "+")) else { return nil }
        var beginning = TextBeginning()
        beginning.append(head.span)
        return head.contains(0x20) && !beginning.hasBlanksForBreaks ? KnownForm.named("base64-lost-plus") : nil
    }

    private func walk(_ bytes: Span<UInt8>) {
        // Moved out while it is changed.
        switch exchange(&reader, with: .none(nil)) {
        case .media(var inspector):
            inspector.append(bytes)
            reader = .media(inspector)
        case .json(let walk):
            walk.append(bytes)
            reader = .json(walk)
        case .text(var walk):
            walk.append(bytes)
            reader = .text(walk)
        case .encoded(let kind, var walk):
            walk.append(bytes)
            reader = .encoded(kind, walk)
        case let other: reader = other
        }
    }
}

/// JSON, including what its strings encode.
private final class JSONWalk {
    private var scanner = JSONScanner()
    private var string: EncodedWalk?
    private var inner: ContentKind?
    private var isBroken = false

    func append(_ bytes: Span<UInt8>) {
        guard !isBroken else { return }
        var position = 0
        do throws(EvidenceError) {
            while true {
                let token = try scanner.next(in: bytes, at: &position)
                switch token {
                case .needsInput: return
                case .beginString: string = inner == nil ? EncodedWalk(hasFront: nil) : nil
                case .text, .byte, .scalar:
                    if string != nil { token.withText(in: bytes) { string?.append($0) } }
                case .stringEnd:
                    if let found = string?.finish(), found.isComplete { inner = found.inner.kind }
                    string = nil
                default: break
                }
            }
        } catch { isBroken = true }
    }

    func content() -> WalkedContent {
        let isComplete = !isBroken && (try? scanner.finish()) != nil
        return WalkedContent(.json, isComplete: isComplete, inner: inner)
    }
}

/// Base64 in either alphabet, or hex, with or without a data URI's prefix, and the content that it encodes.
private struct EncodedWalk {
    /// A possible data URI's prefix, until its comma.
    private var front: [UInt8]?
    /// Whether there is a prefix; `nil` until known.
    private var hasFront: Bool?
    /// Of hex, or of URL-safe base64, into which every base64 is written.
    private var decoder: TextDecoder
    private let isHex: Bool
    private var scratch: [UInt8] = []
    private var (hasStandard, hasURLSafe) = (false, false)
    private var characterCount: UInt64 = 0
    private var inspector = MediaInspector(takingOldMovies: true)
    private var bytes: [UInt8] = []
    private var isBroken = false

    init(hasFront: Bool?, encoding: TextEncoding? = nil) {
        decoder = TextDecoder(encoding ?? .base64URL)
        isHex = encoding != nil
        self.hasFront = hasFront
        front = hasFront == false ? nil : []
    }

    mutating func append(_ text: Span<UInt8>) {
        guard !isBroken else { return }
        var start = 0
        while front != nil && start < text.count {
            front?.append(text[start])
            start += 1
            if text[start - 1] == UInt8(ascii: ",") {
                front = nil
            } else if hasFront == nil, let held = front, held.count == 5 {
                hasFront = held.elementsEqual("data:".utf8)
                if hasFront == false {
                    front = nil
                    decode(held.span)
                }
            } else if (front?.count ?? 0) > 128 {
                isBroken = true
                return
            }
        }
        decode(text.extracting(start...))
    }

    mutating func finish() -> (isComplete: Bool, inner: WalkedContent) {
        if !isBroken, front == nil {
            do throws(EvidenceError) { try decoder.finish(to: &bytes) } catch { isBroken = true }
            inspect()
        }
        let isComplete = !isBroken && front == nil
        return (isComplete, isComplete ? WalkedContent(inspector.finish()) : WalkedContent(nil, isComplete: false))
    }

    private mutating func decode(_ text: Span<UInt8>) {
        if text.isEmpty { return }
        var urlSafe = exchange(&scratch, with: [])
        do throws(EvidenceError) {
            if isHex {
                try decoder.append(text, to: &bytes)
            } else {
                write(text, to: &urlSafe)
                try decoder.append(urlSafe.span, to: &bytes)
            }
        } catch { isBroken = true }
        if hasStandard && hasURLSafe { isBroken = true }
        urlSafe.removeAll(keepingCapacity: true)
        scratch = urlSafe
        inspect()
    }

    private mutating func write(_ text: Span<UInt8>, to urlSafe: inout [UInt8]) {
        for i in text.indices {
            switch text[i] {
            case 0x0A, 0x0D: continue
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                hasStandard = true
                urlSafe.append(text[i] == UInt8(ascii: "+") ? UInt8(ascii: "-") : UInt8(ascii: "_"))
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                hasURLSafe = true
                urlSafe.append(text[i])
            default: urlSafe.append(text[i])
            }
        }
        characterCount += UInt64(urlSafe.count)
    }

    /// Whether it is base64 as the standard has it, as far as that shows.
    var isStandard: Bool { isHex || !hasURLSafe && characterCount % 4 == 0 }

    private mutating func inspect() {
        var bytes = exchange(&self.bytes, with: [])
        inspector.append(bytes.span)
        bytes.removeAll(keepingCapacity: true)
        self.bytes = bytes
    }
}
