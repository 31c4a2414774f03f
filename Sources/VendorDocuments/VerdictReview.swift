// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// Looks in a document that claims a pass for what some reader could take for another verdict (`docs/FORMATS.md`
/// §5.2).
struct VerdictReview {
    /// What the document's own fields say.
    let own: [String: String]
    /// The position of the member that claims success.
    let claim: UInt64?
    /// By the path of an object: its members that were read, or mean nothing.
    let read: [String: [String]]
    /// The path of what stands in an envelope, which is not looked at: only the envelope is.
    var content: String?

    /// A value, and what is expected of it.
    private struct Item {
        let value: DocumentValue
        var agreement: FieldName.Agreement?
        /// Whether it is a field of the vendor's whose text says nothing about a verdict.
        var isWithoutVerdict = false
    }

    /// The values that contradict; each with the vendor's field that it differs from, if it does.
    func contradictions(in root: DocumentValue) -> [(value: DocumentValue, field: String?)] {
        var found: [(value: DocumentValue, field: String?)] = []
        // Without recursion, since the document controls the nesting.
        var rest = [Item(value: root)]
        while let item = rest.popLast() {
            let value = item.value
            if value.path == content { continue }
            let agreement = content == nil ? item.agreement : item.agreement?.ofEnvelope
            guard value.agrees(agreement, with: own) else {
                let field: String? = if case .isTheSame(let field) = agreement { field } else { nil }
                found.append((value, field))
                continue
            }
            switch value.content {
            case .object(let members):
                if members.contains(where: { contradicts($0.name) }) || hasNameWithoutValue(members) {
                    found.append((value, nil))
                }
                rest += items(of: members, in: item).reversed()
            case .array(let elements):
                if let last = elements.last?.text, last.isClaim { found.append((value, nil)) }
                rest += items(of: elements, in: item).reversed()
            // What is in a string is read by the next program, so it speaks like the same JSON without the string.
            case .text:
                rest += value.inside.map { Item(value: $0) }
                if value.found.isUnread || !item.isWithoutVerdict && contradicts(item) { found.append((value, nil)) }
            case .number, .bool, .null: break
            }
        }
        return found
    }

    // MARK: - Members and elements

    private static let verdicts = LooseNames(FieldName.verdicts.map { ($0.name, $0.agreement) })

    /// What a member of this name must say; `nil` if nobody could take it for a verdict.
    private static func agreement(of name: String) -> FieldName.Agreement? {
        verdicts[name] ?? VerdictWords.path(name).flatMap { verdicts[$0] } ?? VerdictWords.agreement(ofName: name)
    }

    /// The same for a name that is itself a value.
    private static func agreement(named name: String) -> FieldName.Agreement? {
        switch agreement(of: name) {
        case .saysNothing, .holdsMembers: VerdictWords.agreement(ofName: name)
        case let other: other
        }
    }

    private func items(of members: [(name: String, value: DocumentValue)], in outer: Item) -> [Item] {
        let named = members.lazy.compactMap(Self.agreementNamed).first
        let hasValue = members.contains { FieldName.ofValue.contains($0.name.lowercased()) }
        let read = read[outer.value.path] ?? []
        return members.compactMap { name, value in
            // A device's signature names the fields that it covers.
            if name.utf8.elementsEqual(FieldName.deviceSignature.utf8), value.found.isCompact { return nil }
            let isValue = FieldName.ofValue.contains(name.lowercased())
            if value.range.lowerBound == claim || read.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                return Item(value: value)
            }
            if let named, isValue { return Item(value: value, agreement: named) }
            if let agreement = Self.agreement(of: name) { return Item(value: value, agreement: agreement) }
            if FieldName.withoutVerdict.contains(name) || VerdictWords.isDesignation(name) {
                return Item(value: value, isWithoutVerdict: true)
            }
            if let named, !hasValue { return Item(value: value, agreement: named.weakened) }
            return Item(value: value, agreement: outer.agreement?.inherited(isValue: isValue))
        }
    }

    private func items(of elements: [DocumentValue], in outer: Item) -> [Item] {
        var named: FieldName.Agreement?
        return elements.map { element in
            var item = Item(value: element, agreement: outer.agreement, isWithoutVerdict: outer.isWithoutVerdict)
            if let named {
                let isPlain = element.written?.utf8.contains(where: ByteSet.digits.contains) ?? false
                item.agreement = isPlain || element.isBool ? named : named.weakened
            }
            named = element.text.flatMap { Self.agreement(named: $0) }
            if let text = element.text, text.isClaim { named = .isTrue }
            return item
        }
    }

    /// What the value must say whose name this member holds: `{"name": "isSuccess", "value": false}`.
    private static func agreementNamed(by member: (name: String, value: DocumentValue)) -> FieldName.Agreement? {
        guard let text = member.value.text, text.isClaim || FieldName.ofName.contains(member.name.lowercased()) else {
            return nil
        }
        return agreement(named: text)
    }

    /// Whether a member holds the name of a result's claim, and none its value.
    private func hasNameWithoutValue(_ members: [(name: String, value: DocumentValue)]) -> Bool {
        members.contains { $0.value.text?.isClaim ?? false }
            && !members.contains { FieldName.ofValue.contains($0.name.lowercased()) }
    }

    // MARK: - Texts

    private func contradicts(_ item: Item) -> Bool {
        if case .isTheSame = item.agreement { return false }
        // A name; what stands beside it is its value.
        if item.value.text?.isClaim ?? false { return false }
        guard let speech = item.value.found.speech ?? item.value.text.map(VerdictWords.Speech.init) else {
            return false
        }
        return speech.denies || contradicts(speech.statements)
    }

    /// Whether a name is itself a statement.
    private func contradicts(_ name: String) -> Bool {
        name.contains { "=:".contains($0) } && contradicts(VerdictWords.Speech(name).statements)
    }

    private func contradicts(_ statements: [(name: String, value: String)]) -> Bool {
        statements.contains { name, value in
            let number = Int64(value)
            let hasDigit = value.utf8.contains(where: ByteSet.digits.contains)
            switch Self.agreement(named: name) {
            case .isTrue: return name.isClaim ? value != "true" : VerdictWords.isNo(value) || number == 0
            case .isZero: return hasDigit && number != 0
            case .isTheSame(let field):
                return hasDigit && !(own[field].map { $0.utf8.elementsEqual(value.utf8) } ?? true)
            case .affirms(let isZeroDenial):
                return VerdictWords.isNo(value)
                    || number.map { $0 < 0 || $0 == 0 && isZeroDenial || $0.isRefusal } ?? false
            case .isNoFault: return number.map { $0 != 0 } ?? (value == "true")
            case .isNoNo: return VerdictWords.isNo(value)
            case .isNoYes: return value == "true"
            case .saysNothing, .holdsMembers, nil: return false
            }
        }
    }
}

extension DocumentValue {
    /// Whether something around a value in it says that something failed.
    package func speaksAgainst(_ path: String) -> Bool {
        !VerdictReview(own: [:], claim: nil, read: [:], content: path).contradictions(in: self).isEmpty
    }
}

extension FieldName.Agreement {
    /// What the members of an object must say whose own name asks this, if their own names ask nothing.
    fileprivate func inherited(isValue: Bool) -> Self? {
        switch self {
        case .affirms(let isZeroDenial): isValue ? self : isZeroDenial ? .isNoNo : nil
        case .isNoFault: self
        case .holdsMembers: isValue ? .isNoNo : nil
        default: nil
        }
    }

    /// What is asked of a member of an envelope, whose codes are those of the call.
    fileprivate var ofEnvelope: Self? {
        switch self {
        case .isTrue: .affirms(isZeroDenial: true)
        case .isZero: .affirms(isZeroDenial: false)
        case .saysNothing: .isNoFault
        case .isTheSame, .holdsMembers: nil
        default: self
        }
    }

    /// What is asked of a value that may belong to another name.
    fileprivate var weakened: Self {
        switch self {
        case .isNoFault, .isNoYes: .isNoYes
        default: .isNoNo
        }
    }
}

extension Int64 {
    /// Whether it is one of the vendor's codes for a verification that was not passed.
    fileprivate var isRefusal: Bool { 66_660_000...66_669_999 ~= self }
    /// Whether programs write it where something succeeded.
    fileprivate var isYes: Bool { self == 1 || 200...299 ~= self || self == 20_000 }
}

extension DocumentValue {
    fileprivate var isBool: Bool {
        if case .bool = content { true } else { false }
    }

    /// Whether it is a container, whose members are asked one by one.
    private var isContainer: Bool {
        switch content {
        case .object, .array: true
        case .text, .number, .bool, .null: false
        }
    }

    /// Whether a member agrees with a pass; one that could not be taken for a verdict (`nil`) does.
    fileprivate func agrees(_ agreement: FieldName.Agreement?, with own: [String: String]) -> Bool {
        if isBlank { return true }
        let bool: Bool? = if case .bool(let value) = content { value } else { nil }
        let number = written.flatMap { Int64($0) }
        return switch agreement {
        // Gson reads 1 and YES as false, and JavaScript does not read them as true.
        case .isTrue: bool ?? (text == "true")
        case .isZero: written == "0"
        case .isTheSame(let field):
            if let writtenAlike, let text = own[field] { writtenAlike.utf8.elementsEqual(text.utf8) } else { false }
        case .saysNothing: saysNothing
        case .holdsMembers: isContainer
        case .affirms(let isZeroDenial):
            isContainer
                || bool
                    ?? number.map { $0.isYes || $0 == 0 && !isZeroDenial }
                    ?? text.map { isZeroDenial ? VerdictWords.isYes($0) : !VerdictWords.isNoSuccess($0) } ?? false
        case .isNoFault:
            isContainer
                || bool.map { !$0 }
                    ?? number.map { $0 == 0 } ?? text.map { VerdictWords.isNothing($0) || VerdictWords.affirms($0) }
                    ?? false
        case .isNoNo: bool ?? !(text.map(VerdictWords.isNo) ?? false)
        case .isNoYes: !(bool ?? (text == "true"))
        case nil: true
        }
    }
}
