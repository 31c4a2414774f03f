// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
package import EvidenceErrors
internal import VendorDocuments
internal import VendorTypes

/// The findings of a scan, and the rules for their meaning (`docs/FORMATS.md` §1.1).
package struct PayloadIndex: Equatable {
    /// The position of an object in the document.
    enum Object {
        case top
        case simpleModeResult
    }

    /// One string value.
    package struct Value: Equatable {
        /// Where its characters are in the document, without the quotation marks.
        package let range: Range<UInt64>
        /// The characters, unescaped, of a short field.
        let text: [UInt8]
    }

    private var top: [PayloadField: Value] = [:]
    /// `nil` where there is no `simpleModeResult`, or it is `null`.
    private var nested: [PayloadField: Value]?
    /// The known names that were seen in other objects, where they have no meaning.
    var deeperFields: Set<PayloadField> = []
    /// Whether they are in a member that a wrapper has for the result, which is not read.
    var isDeeperInWrapper = false
    /// The objects that have a wrapped key under Android's name, where that is not read.
    var androidKeyPlaces: Set<Object> = []
    /// Whether there is one: such a video is sealed, and not plain.
    var hasAndroidKey: Bool { !androidKeyPlaces.isEmpty }
    /// Whether a photo has a wrapper's name, which is not read.
    var hasUnreadPhoto = false
    /// The overlong short fields, if that is not refused at once.
    var overlongFields: Set<PayloadField> = []
    /// What was read although it is not the vendor's common spelling; of each kind, the first.
    var repairs: [DocumentRepair] = []
    /// Bytes of the document.
    var byteCount: UInt64 = 0
    /// The characters of the fields that a profile adds.
    private(set) var extras: [Object: [String: [UInt8]]] = [:]

    /// A member with the name of the hint at the video's key: the position of its value, if that is a string, and the
    /// hint, if it is one.
    private struct KeyHintMember: Equatable {
        var range: Range<UInt64>?
        var text: String?
    }

    private var keyHints: [Object: KeyHintMember] = [:]
    /// The names of the document, and their bytes: at most so many are in one object.
    private var nameCount = 0
    private var nameByteCount = 0

    mutating func noteName(byteCount: Int) {
        nameCount += 1
        nameByteCount += byteCount
    }

    mutating func noteKeyHint(in place: Object) {
        keyHints[place] = KeyHintMember()
    }

    mutating func add(keyHint: String?, at range: Range<UInt64>, in place: Object) {
        keyHints[place] = KeyHintMember(range: range, text: keyHint)
    }

    /// The beginning of the fingerprint of the key that opens the video, if the payload says so. It is a hint: nothing
    /// may depend on it but the time it takes.
    func keyHint() throws(EvidenceError) -> String? { keyHints[try payloadObject()]?.text }

    /// How a payload gets another hint.
    enum KeyHintEdit {
        case replace(Range<UInt64>)
        case insert
        /// What stands there is no text, or one more name might be beyond a reader's bounds.
        case none
    }

    func keyHintEdit() throws(EvidenceError) -> KeyHintEdit {
        if let member = keyHints[try payloadObject()] { return member.range.map { .replace($0) } ?? .none }
        let bytes = nameByteCount + FieldName.keyId.vendor.utf8.count
        return nameCount < Limits.jsonMembers && bytes <= Limits.jsonHeldNameBytes ? .insert : .none
    }

    mutating func openSimpleModeResult() {
        nested = [:]
    }

    /// Whether the result is in a wrapper's object.
    package private(set) var isWrapped = false
    /// The fields that one object has under two names.
    private var doubled: PayloadField?

    /// Whether anything of a payload was read.
    package var hasFields: Bool { !top.isEmpty || nested != nil || !extras.isEmpty || !androidKeyPlaces.isEmpty }

    /// The hints that stood before the wrapper's object.
    private var keyHintsBeside: [Object: KeyHintMember] = [:]

    /// The wrapper's object begins.
    mutating func openWrapper() {
        isWrapped = true
        keyHintsBeside = keyHints
    }

    /// Takes back that a wrapper's object holds the result, since fields stand next to it.
    ///
    /// - Returns: whether it held none: the result is in one of the two.
    mutating func dropEmptyWrapper() -> Bool {
        if hasFields { return false }
        isWrapped = false
        keyHints = keyHintsBeside
        repairs.removeAll { $0.code == .envelope }
        return true
    }

    mutating func add(_ field: PayloadField, _ value: Value, in place: Object) {
        if (place == .top ? top[field] : nested?[field]) != nil { doubled = field }
        switch place {
        case .top: top[field] = value
        case .simpleModeResult: nested?[field] = value
        }
    }

    mutating func add(extra name: String, _ text: [UInt8], in place: Object) {
        extras[place, default: [:]][name] = text
    }

    /// Whether a field was seen nested deeper or, for a sealed one, anything that belongs to it.
    func hasDeeper(_ field: PayloadField) -> Bool {
        deeperFields.contains(field) || field.marksPayloadObject && deeperFields.contains { $0.marksPayloadObject }
    }

    // MARK: - The rules

    /// Checks the rules that apply to every request.
    func check() throws(EvidenceError) {
        if let doubled {
            throw EvidenceError(.ambiguous, "\(doubled.name) appears under two names")
        }
        _ = try payloadObject()
        _ = try orderNumber()
        _ = try photo()
        for place in androidKeyPlaces where value(.videoEncryptAESKey, in: place)?.text.isEmpty == false {
            throw EvidenceError(
                .ambiguous,
                "the wrapped key appears under two names: \(FieldName.videoEncryptAESKey) and \(FieldName.androidKey)",
                hint: "ask the payload's sender which of them is meant")
        }
    }

    /// The object that carries the sealed fields.
    func payloadObject() throws(EvidenceError) -> Object {
        guard nested != nil else { return .top }
        if let extra = fieldOutside {
            throw EvidenceError(
                .ambiguous,
                "both the result and its \(FieldName.simpleModeResult) carry simple-mode fields "
                    + "(\(extra) is outside)",
                hint: "ask the payload's sender which of the two is meant")
        }
        return .simpleModeResult
    }

    /// Whether the payload object is the document itself.
    package func isOutermost() throws(EvidenceError) -> Bool {
        let object = try payloadObject()
        return object == .top && !isWrapped
    }

    /// Whether sealed fields are at the top level: correct for a simple-mode object alone, wrong in a whole result.
    package func hasFieldsBesideResult() throws(EvidenceError) -> Bool {
        try payloadObject() == .top && fieldOutside != nil
    }

    /// The name of a field at the top that only a simple-mode object has; of several, the first of the table, so that
    /// the same payload is always refused in the same words.
    private var fieldOutside: String? {
        PayloadField.allCases.first { $0.marksPayloadObject && top[$0] != nil }?.name
            ?? (androidKeyPlaces.contains(.top) ? FieldName.androidKey : nil)
    }

    /// A field of the payload object.
    package func value(_ field: PayloadField) throws(EvidenceError) -> Value? {
        value(field, in: try payloadObject())
    }

    private func value(_ field: PayloadField, in place: Object) -> Value? {
        switch place {
        case .top: top[field]
        case .simpleModeResult: nested?[field]
        }
    }

    /// A field that a profile adds to the payload object; `nil` where it is absent or `null`.
    func extra(_ name: String) throws(EvidenceError) -> [UInt8]? {
        extras[try payloadObject()]?[name]
    }

    /// The payload object's order number, else the result's; `nil` where there is none.
    ///
    /// During the scan this is what is known so far: a second, different number that comes later is refused then.
    func orderNumber() throws(EvidenceError) -> OrderNumber? {
        let inner = nested?[.orderNo]?.text
        let outer = top[.orderNo]?.text
        if let inner, let outer, inner != outer {
            throw EvidenceError(
                .ambiguous, "the result and its \(FieldName.simpleModeResult) have different order numbers")
        }
        guard let text = inner ?? outer else { return nil }
        return try OrderNumber(String(decoding: text, as: UTF8.self))
    }

    /// The wrapped key of a sealed field, as base64 characters; `nil` where the field is absent, `null` or empty.
    func wrappedKey(of field: SealedField) throws(EvidenceError) -> [UInt8]? {
        guard let text = try value(field.wrappedKey)?.text, !text.isEmpty else { return nil }
        return text
    }

    /// Whether there is a key of a sealed photo, which a later version will open.
    package var isPhotoSealed: Bool {
        [top[.imageEncryptAESKey], nested?[.imageEncryptAESKey]].contains { $0?.text.isEmpty == false }
    }

    /// The photo, which may be in either object but not in both.
    package func photo() throws(EvidenceError) -> Value? {
        let inner = nested?[.userImageString]
        let outer = top[.userImageString]
        if inner != nil && outer != nil {
            throw EvidenceError(
                .ambiguous, "the result and its \(FieldName.simpleModeResult) both carry \(FieldName.userImageString)")
        }
        return inner ?? outer
    }
}
