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
        /// Whether it is a fault, or what is looked for.
        var isOfFault: Bool { isOfLook || agreement == .isNoFault }
        /// Whether it is, or is in, what is looked for.
        var isOfLook: Bool { agreement == .isNoHit || agreement == .isNoHitOfLook }
        /// Whether it must only be the same as a field of the document's.
        var isOfOneField: Bool { if case .isTheSame = agreement { true } else { false } }
    }

    /// A value that does not agree with the pass.
    struct Contradiction {
        let value: DocumentValue
        /// The vendor's field that it differs from, if it does.
        var field: String?
        /// Whether nobody knows what it says.
        var isUndecided = false
    }

    /// The values that do not agree, first those that say that the person failed.
    func contradictions(in root: DocumentValue) -> [Contradiction] {
        var found: [Contradiction] = []
        // Without recursion, since the document controls the nesting.
        var rest = [Item(value: root)]
        while let item = rest.popLast() {
            let value = item.value
            if value.path == content {
                // What is called an error is none that may be taken out and used.
                if [.isNoFault, .isNoHit, .isNoHitOfLook, .isNoYes, .isAmbiguous].contains(item.agreement) {
                    found.append(Contradiction(value: value))
                }
                continue
            }
            let agreement = content == nil ? item.agreement : item.agreement?.ofEnvelope
            let judgement = value.judged(agreement, with: own)
            if judgement != .agrees {
                let field: String? = if case .isTheSame(let field) = agreement { field } else { nil }
                found.append(Contradiction(value: value, field: field, isUndecided: judgement == .undecided))
            }
            switch value.content {
            case .object(let members):
                let members = members.map { (name: MemberName.read($0.name), value: $0.value) }
                if let (_, member) = members.first(where: { !$0.name.isPlain }) {
                    found.append(Contradiction(value: member, isUndecided: true))
                }
                if hasNameWithoutValue(members) { found.append(Contradiction(value: value)) }
                if Self.hasTable(members) || Self.hasNoBesideYes(members) {
                    found.append(Contradiction(value: value, isUndecided: true))
                }
                rest += items(of: members, in: item).reversed()
            case .array(let elements):
                if item.isOfFault, elements.contains(where: \.isFullObject) {
                    found.append(Contradiction(value: value, isUndecided: true))
                }
                if let last = elements.last?.text, last.isClaim { found.append(Contradiction(value: value)) }
                rest += items(of: elements, in: item).reversed()
            // What is in a string is read by the next program, so it speaks like the same JSON without the string.
            case .text:
                // An object in a text is asked what one without is.
                let asked = value.isContainer && !item.isOfOneField ? item.agreement : nil
                rest += value.inside.map { Item(value: $0, agreement: asked) }
                if let finding = review(item) { found.append(finding) }
            case .number:
                if item.isOfOneField { continue }
                if !item.isWithoutVerdict, value.isRefusalCode { found.append(Contradiction(value: value)) }
            case .bool, .null: break
            }
        }
        return found.filter { !$0.isUndecided } + found.filter(\.isUndecided)
    }

    // MARK: - Members and elements

    private typealias Member = (name: MemberName, value: DocumentValue)

    /// The same for a name that is itself a value.
    private static func agreement(named name: String) -> FieldName.Agreement? {
        // A wrapped key stands under a name that ends in Key, and has no words.
        if VerdictWords.isBase64(name.utf8.span) { return nil }
        return switch MemberName.read(name).asked {
        case .isEmpty, .holdsMembers: VerdictWords.Name(name).agreement
        case .isMessage: nil
        case .isTrue where !name.isClaim: .affirms
        case let other: other
        }
    }

    private func items(of members: [Member], in outer: Item) -> [Item] {
        let hasValue = members.contains(where: \.name.isOfValue)
        let hasMembers = hasValue && members.contains { $0.name.isOfValue && $0.value.isContainer }
        let hasObjects = hasMembers && members.contains { $0.name.isOfValue && $0.value.hasObjects }
        var naming: (name: String?, agreement: FieldName.Agreement)? =
            members.lazy.compactMap { member in
                Self.agreementNamed(by: member, hasMembers: hasMembers).map { (member.name.text, $0) }
            }.first
        if naming == nil, hasValue {
            naming = members.lazy.compactMap { Self.agreementNamedBesideValue(by: $0).map { (nil, $0) } }.first
        }
        // What was looked for, beside how that ended.
        let look = outer.isOfLook || hasValue ? nil : Self.look(members)
        let lookedFor = outer.isOfLook ? outer.agreement : look?.agreement
        let hasVerdict = members.contains { $0.name.askedByVendor?.isOfVerdict ?? false }
        let read = read[outer.value.path] ?? []
        return members.compactMap { name, value in
            // A device's signature names the fields that it covers.
            if name.text.utf8.elementsEqual(FieldName.deviceSignature.utf8), value.found.isCompact { return nil }
            if value.range.lowerBound == claim || read.contains(where: { $0.utf8.elementsEqual(name.text.utf8) }) {
                return Item(value: value)
            }
            if let aside = Self.aside(name, value, in: outer) { return aside }
            if name.text == look?.name || hasValue && name.isOfCheck && Self.isLook(value) {
                // Of a label, nobody knows whether it is what was looked for, or what was found.
                return name.isOfCheck
                    ? nil : Item(value: value, agreement: .isAmbiguous, isWithoutVerdict: true)
            }
            if let (namingMember, agreement) = naming {
                if name.isOfValue { return Item(value: value, agreement: agreement) }
                // It is a name, and says nothing itself, but where it may be the title of what is inside.
                if hasValue, name.text == namingMember, !hasObjects { return nil }
            }
            switch name.asked {
            case .isMessage:
                let isSentence = name.askedByField != nil || !(value.text.map(VerdictWords.isNoSentence) ?? false)
                if hasVerdict, isSentence {
                    // "No" may be the answer, or say that there is no error.
                    let isNo = value.text.map(VerdictWords.isNo) ?? false
                    return Item(value: value, agreement: isNo ? .isAmbiguous : .isNoFault)
                }
            case .isNoNo where outer.agreement == .isNoFault && VerdictWords.isFiller(name.text):
                return Item(value: value, agreement: .isNoFault)
            case _ where lookedFor != nil && name.tellsEnd:
                return Item(value: value, agreement: name.asked(in: lookedFor))
            // A code of anything, and how often something went well.
            case _
            where content == nil && outer.value.path != "$" && outer.agreement != .isNoFault
                && ["code", "success"].contains(name.text.lowercased()):
                return Item(
                    value: value, agreement: name.text.lowercased() == "code" ? .isWorkingCall : .isTrueOfAnything)
            // The code of an error counts, whatever codes calls have.
            case .isZero where content != nil && (outer.agreement == .isNoFault || VerdictWords.isOfFailure(name.text)):
                return Item(value: value, agreement: .isNoFault)
            // Where somebody is sent who fails.
            case .isNoYes where name.isDesignation && value.text.map(PlainText.isAddress) ?? false:
                return Item(value: value, isWithoutVerdict: true)
            case let agreement?: return Item(value: value, agreement: agreement)
            case nil: break
            }
            if name.isWithoutVerdict { return Item(value: value, isWithoutVerdict: true) }
            // An address has pairs, and a long code may be words: both are heard as in any other text.
            let isCode = value.isRefusalCode && name.text.lowercased().hasSuffix("code")
            if name.isDesignation && !isCode && !value.isBool {
                let isHeard = value.text.map { isLongCode(name.text, $0) || PlainText.isAddress($0) } ?? false
                return Item(value: value, isWithoutVerdict: !isHeard)
            }
            if let (_, agreement) = naming, !hasValue { return Item(value: value, agreement: agreement.weakened) }
            return Self.unasked(name, value, in: outer)
        }
    }

    /// A member whose name asks nothing.
    private static func unasked(_ name: MemberName, _ value: DocumentValue, in outer: Item) -> Item {
        let inherited = outer.agreement?.inherited(isValue: name.isOfValue)
        // It may be the number of a customer.
        if value.isRefusalCode, !name.tellsCode, [nil, .isAround, .isNoNo, .isNoYes].contains(inherited) {
            return Item(value: value, agreement: .isAmbiguous, isWithoutVerdict: true)
        }
        return Item(value: value, agreement: inherited ?? (name.isOfPurpose ? .isPurpose : nil))
    }

    /// A member that is not about the person, whatever it says.
    private static func aside(_ name: MemberName, _ value: DocumentValue, in outer: Item) -> Item? {
        let isVendors = name.askedByVendor != nil
        if name.isAside || outer.agreement == .isAside && (name.text == "success" || !isVendors) {
            let isHeard = value.text.map(VerdictWords.tellsResult) ?? false
            return Item(value: value, agreement: .isAside, isWithoutVerdict: !isHeard)
        }
        let isInside = outer.agreement == .isElsewhere
        let isElsewhere =
            isInside && name.text == "success"
            || (isInside && name.askedByField != .isTrue || !isVendors && name.isElsewhere)
                && !value.isRefusalCode && !VerdictWords.speaksOfFace(name.text, value.text)
        return isElsewhere ? Item(value: value, agreement: .isElsewhere, isWithoutVerdict: true) : nil
    }

    /// What an object says of itself that it was looked for, beside how that ended; the member that says so.
    private static func look(_ members: [Member]) -> (name: String, agreement: FieldName.Agreement)? {
        guard members.contains(where: \.name.tellsEnd) else { return nil }
        return members.lazy.compactMap { name, value in
            guard name.isOfCheck || name.isOfName, isLook(value), let asked = value.text.flatMap(agreement(named:))
            else { return nil }
            return (name.text, asked)
        }.first
    }

    /// Whether a text names what is looked for.
    private static func isLook(_ value: DocumentValue) -> Bool {
        let asked = value.text.flatMap(agreement(named:))
        return asked == .isNoHit || asked == .isNoHitOfLook
    }

    /// Whether a code is longer than those of countries, languages and currencies.
    private func isLongCode(_ name: String, _ text: String) -> Bool {
        name.lowercased().hasSuffix("code") && text.utf8.count > 3
    }

    private func items(of elements: [DocumentValue], in outer: Item) -> [Item] {
        var named: FieldName.Agreement?
        return elements.map { element in
            var item = Item(
                value: element, agreement: outer.agreement?.ofElement, isWithoutVerdict: outer.isWithoutVerdict)
            if let named {
                let isPlain = element.written?.utf8.contains(where: ByteSet.digits.contains) ?? false
                item.agreement = isPlain || element.isBool ? named : named.weakened
            }
            named = outer.isWithoutVerdict ? nil : element.text.flatMap { Self.agreement(named: $0) }
            if !outer.isWithoutVerdict, let text = element.text, text.isClaim { named = .isTrue }
            return item
        }
    }

    /// What the value must say whose name this member holds: `{"name": "isSuccess", "value": false}`. A code beside
    /// what has members is an envelope's.
    private static func agreementNamed(
        by member: Member, hasMembers: Bool
    ) -> FieldName.Agreement? {
        guard let text = member.value.text, text.isClaim || member.name.isOfName else { return nil }
        if hasMembers, member.name.text.lowercased() == "code" { return nil }
        return agreement(named: text)
    }

    /// The same of a member whose name is that of a name only beside a value.
    private static func agreementNamedBesideValue(
        by member: Member
    ) -> FieldName.Agreement? {
        guard FieldName.ofNameBesideValue.contains(member.name.text.lowercased()) else { return nil }
        return member.value.text.flatMap(agreement(named:))
    }

    /// Whether a member holds the name of a result's claim, and none its value.
    private func hasNameWithoutValue(_ members: [Member]) -> Bool {
        members.contains { $0.value.text?.isClaim ?? false } && !members.contains(where: \.name.isOfValue)
    }

    /// Whether a small object has a text that asks for a yes, under a name that says nothing, and a no.
    private static func hasNoBesideYes(_ members: [Member]) -> Bool {
        guard members.count <= 4 else { return false }
        let hasNo = members.contains { name, value in
            guard name.isOfValue || name.text.unicodeScalars.count < 3 else { return false }
            if case .bool(false) = value.content { return true }
            return value.text.map(VerdictWords.isNo) ?? false
        }
        return hasNo
            && members.contains { name, value in
                guard name.asked == nil, let asked = value.text.flatMap(agreement(named:)) else { return false }
                return asked == .isTrue || asked == .affirms
            }
    }

    /// Whether there are lists of names, one of which asks for a yes, and a no in a list: perhaps columns and rows.
    private static func hasTable(_ members: [Member]) -> Bool {
        var (hasName, hasNo) = (false, false)
        var rest = members.map(\.value)
        while let value = rest.popLast() {
            guard case .array(let elements) = value.content else { continue }
            for element in elements {
                var text = element.text
                switch element.content {
                case .array: rest.append(element)
                case .object(let members):
                    let members = members.map { (name: MemberName.read($0.name), value: $0.value) }
                    let names = members.filter(\.name.isOfName)
                    text = names.count == 1 && !members.contains(where: \.name.isOfValue) ? names[0].value.text : nil
                default: break
                }
                switch text.flatMap(agreement(named:)) {
                case .isTrue, .affirms: hasName = true
                default: break
                }
                if element.isNo { hasNo = true }
            }
        }
        return hasName && hasNo
    }

    // MARK: - Texts

    private func review(_ item: Item) -> Contradiction? {
        if item.isWithoutVerdict { return nil }
        if item.isOfOneField { return nil }
        let value = item.value
        let speech = value.found.speech ?? value.text.map(VerdictWords.Speech.init)
        let isUndecided = value.found.isUndecided || speech?.isUndecided ?? false
        // A name; what stands beside it is its value.
        guard let speech, !(value.text?.isClaim ?? false) else {
            return isUndecided ? Contradiction(value: value, isUndecided: true) : nil
        }
        // "No match" denies, but not where it is good news.
        if speech.denies, !item.isOfLook {
            // What else it says is heard.
            let isOfPurpose = item.agreement == .isPurpose && judged(speech.statements) != .denies
            return Contradiction(value: value, isUndecided: isOfPurpose)
        }
        let judgement = max(judged(speech.statements), isUndecided ? .undecided : .agrees)
        return judgement == .agrees ? nil : Contradiction(value: value, isUndecided: judgement == .undecided)
    }

    func judged(_ statements: [(name: String, value: String)]) -> FieldName.Judgement {
        statements.map { name, value in
            let number = value.number
            let hasDigit = value.utf8.contains(where: ByteSet.digits.contains)
            let agreement = Self.agreement(named: name)
            let agrees: Bool
            switch agreement {
            case .isTrue where !name.isClaim:
                if VerdictWords.isYes(value) || number == 1 { return .agrees }
                return number == 0 || VerdictWords.isDenial(value) ? .denies : .undecided
            case .isTrue: agrees = value == "true"
            case .isZero: agrees = !hasDigit || number == 0
            case .isTheSame(let field):
                agrees = !hasDigit || own[field].map { value.isSame($0, as: field) } ?? true
            case .isGood, .isState:
                return VerdictWords.isNothingAlone(value) ? .agrees : value.judgedAsYes(agreement)
            case .affirms: return value.judgedAsYes(agreement)
            // What follows a "not" is heard with it.
            case .isNoHit where VerdictWords.isDecimal(value) || number == nil && VerdictWords.isNot(value):
                return .agrees
            case .isNoHit where number == nil: return value.judgedAsNo(agreement)
            case .isNoFault, .isNoHit:
                agrees = number.map { $0 == 0 } ?? !VerdictWords.isPlainYes(value)
            case .isNoNo: return VerdictWords.isNo(value) ? .undecided : .agrees
            case .isNoZero: return number ?? 1 < 1 || VerdictWords.isNo(value) ? .undecided : .agrees
            case .isNoYes, .isNoHitOfLook: return value == "true" ? .undecided : .agrees
            case .isEmpty, .holdsMembers, .isAround, .isAmbiguous, .isAside, .isElsewhere, .isWorkingCall, .isMessage,
                .isTrueOfAnything, .isPurpose, nil:
                return .agrees
            }
            return agrees ? .agrees : .denies
        }.max() ?? .agrees
    }
}

extension DocumentValue {
    /// Whether it is one of the vendor's codes for a verification that was not passed.
    fileprivate var isRefusalCode: Bool { written?.refusalCode != nil }

    /// It, or a value at any depth of it, that is looked for, by the name of the member that has it, too.
    package func any(where isWanted: (_ name: String, DocumentValue) -> Bool) -> DocumentValue? {
        var rest = [("", self)]
        while let (name, value) = rest.popLast() {
            if isWanted(name, value) { return value }
            switch value.content {
            case .object(let members): rest += members.map { ($0.name, $0.value) }
            case .array(let elements): rest += elements.map { (name, $0) }
            case .text: rest += value.inside.map { (name, $0) }
            case .number, .bool, .null: break
            }
        }
        return nil
    }

    /// Whether something around a value in it says that something failed.
    package func speaksAgainst(_ path: String) -> Bool {
        !VerdictReview(own: [:], claim: nil, read: [:], content: path).contradictions(in: self).isEmpty
    }
}

extension FieldName.Agreement {
    /// What the members of an object must say whose own name asks this, if their own names ask nothing.
    fileprivate func inherited(isValue: Bool) -> Self? {
        switch self {
        case .affirms: isValue ? self : .isNoNo
        case .isGood, .isState: isValue ? self : .isAround
        case .isNoFault: self
        case .isNoHit, .isNoHitOfLook: isValue ? .isNoHit : .isNoYes
        case .isNoNo, .isNoZero, .holdsMembers, .isAround: isValue ? .isNoNo : .isAround
        default: nil
        }
    }

    /// What is asked of a member of an envelope, whose codes are those of the call.
    fileprivate var ofEnvelope: Self? {
        switch self {
        case .isTrue: .affirms
        case .isZero: .isWorkingCall
        case .isEmpty: .isGood(.zeroAndOne)
        case .isTheSame, .holdsMembers: nil
        default: self
        }
    }

    /// What is asked of a list's elements. Results are numbered and listed.
    fileprivate var ofElement: Self {
        if case .isGood = self { .isNoNo } else { self }
    }

    /// Whether it is asked of what says how a verification ended, or of which one.
    fileprivate var isOfVerdict: Bool {
        switch self {
        case .isTrue, .isZero: true
        case .isTheSame(let field): field == FieldName.orderNo.vendor
        default: false
        }
    }

    /// What is asked of a value that may belong to another name.
    fileprivate var weakened: Self {
        switch self {
        case .isNoFault, .isNoHit, .isNoHitOfLook, .isNoYes: .isNoYes
        default: .isNoNo
        }
    }
}

extension FieldName.Agreement {
    fileprivate var isZeroYes: Bool {
        switch self {
        case .isGood(.zeroAndOne), .isGood(.zero), .isState: true
        default: false
        }
    }

    fileprivate var isOneYes: Bool {
        switch self {
        case .isGood(.zero), .isGood(.neither): false
        default: true
        }
    }
}

extension String {
    /// Whether it is the document's own value of a field: of a score, whether it is as high.
    fileprivate func isSame(_ own: String, as field: String) -> Bool {
        if [FieldName.liveRate, .similarity].contains(where: { $0.vendor == field }),
            let (score, other) = FaceScore(self).value.flatMap({ score in FaceScore(own).value.map { (score, $0) } })
        {
            return score == other
        }
        return utf8.elementsEqual(own.utf8)
    }

    /// Whether it has no letters, and no digits but zeros, as a moment or a dash that stands for none.
    private var isOfZerosAndSigns: Bool {
        unicodeScalars.allSatisfy { $0 == "0" || !$0.properties.isAlphabetic && $0.properties.numericType == nil }
    }

    /// What a text or a number says where a verdict or a state is asked for.
    fileprivate func judgedAsYes(_ agreement: FieldName.Agreement?) -> FieldName.Judgement {
        if let number {
            // With zeros in front, it is another code.
            let isYes =
                switch number {
                case 0: agreement.map(\.isZeroYes) ?? false
                case 1: isPlainNumber && agreement.map(\.isOneYes) ?? false
                case 200, 20_000: isPlainNumber
                default: false
                }
            return isYes ? .agrees : agreement == .affirms && number <= 0 ? .denies : .undecided
        }
        if VerdictWords.isYes(self) { return .agrees }
        if VerdictWords.isDenial(self) { return .denies }
        return agreement == .isState && !VerdictWords.isOpen(self) ? .agrees : .undecided
    }

    /// The same where a fault is asked for, or what is looked for.
    fileprivate func judgedAsNo(_ agreement: FieldName.Agreement?) -> FieldName.Judgement {
        let isFault = agreement == .isNoFault
        if let number { return number == 0 ? .agrees : isFault || number == 1 ? .denies : .undecided }
        let isGood =
            isOfZerosAndSigns || VerdictWords.isNoFault(self)
            || (isFault ? VerdictWords.affirms(self) : VerdictWords.findsNothing(self))
        if isGood { return .agrees }
        let isBad = VerdictWords.isPlainYes(self) || isFault && VerdictWords.Speech(self).denies
        return isBad ? .denies : .undecided
    }
}

extension DocumentValue {
    fileprivate var isBool: Bool {
        if case .bool = content { true } else { false }
    }

    /// Whether it is a container, whose members are asked one by one, or an object in a text.
    fileprivate var isContainer: Bool {
        switch content {
        case .object, .array: true
        case .text: text?.first { !$0.isWhitespace } == "{"
        case .number, .bool, .null: false
        }
    }

    /// Whether it is an object with something in it.
    fileprivate var isFullObject: Bool { if case .object(let members) = content { !members.isEmpty } else { false } }

    /// Whether it is an object with something in it, a list with one, or a text that begins as an object does.
    fileprivate var hasObjects: Bool {
        switch content {
        case .object(let members): !members.isEmpty
        case .array(let elements):
            elements.contains { if case .object = $0.content { true } else { false } }
        case .text, .number, .bool, .null: isContainer
        }
    }

    /// Whether it is a word for no, or a zero.
    fileprivate var isNo: Bool {
        if case .bool(let value) = content { return !value }
        return written?.number == 0 || text.map(VerdictWords.isNo) ?? false
    }

    /// What a member says beside a pass; one that could not be taken for a verdict (`nil`) agrees.
    fileprivate func judged(
        _ agreement: FieldName.Agreement?, with own: [String: String]
    ) -> FieldName.Judgement {
        if isBlank { return .agrees }
        let bool: Bool? = if case .bool(let value) = content { value } else { nil }
        let agrees: Bool
        switch agreement {
        // Gson reads 1 and YES as false, and JavaScript does not read them as true.
        case .isTrue: agrees = bool ?? (text == "true")
        case .isZero:
            agrees =
                written.map { $0.utf8.allSatisfy { $0 == UInt8(ascii: "0") } } ?? false
                || text.map(VerdictWords.affirms) ?? false
        case .isTheSame(let field):
            agrees =
                if let writtenAlike, let text = own[field] { writtenAlike.isSame(text, as: field) } else { false }
        case .isEmpty where isContainer: agrees = isEmpty
        case .holdsMembers: agrees = isContainer
        case .isNoNo: return bool ?? !(text.map(VerdictWords.isNo) ?? false) ? .agrees : .undecided
        case .isNoZero:
            let isNo = written?.number ?? 1 < 1 || text.map(VerdictWords.isNo) ?? false
            return bool ?? !isNo ? .agrees : .undecided
        case .isNoYes:
            let isYes =
                text.map { VerdictWords.isPlainYes($0) || VerdictWords.hasHit($0) } ?? false
                || written?.number == 1
            return bool ?? isYes ? .undecided : .agrees
        case .isTrueOfAnything:
            if bool ?? (text == "true") { return .agrees }
            return bool == false || written?.judgedAsYes(.affirms) == .denies ? .denies : .undecided
        case .isMessage, .isAround, .isAside, .isElsewhere, .isPurpose, nil: agrees = true
        case .isWorkingCall where isContainer: return .undecided
        case _ where isContainer: agrees = true
        case .isAmbiguous: return .undecided
        case .isWorkingCall:
            let isWorking = bool ?? written.map { CallCode($0).isOfSuccess } ?? false
            return isWorking ? .agrees : .undecided
        case .affirms, .isGood, .isState, .isEmpty:
            guard let bool else {
                let asked: FieldName.Agreement? = agreement == .isEmpty ? .isGood(.zeroAndOne) : agreement
                return written?.judgedAsYes(asked) ?? .undecided
            }
            agrees = bool
        case .isNoHitOfLook where bool != nil: return .undecided
        case .isNoFault, .isNoHit, .isNoHitOfLook:
            guard let bool else { return written?.judgedAsNo(agreement) ?? .undecided }
            agrees = !bool
        }
        return agrees ? .agrees : .denies
    }
}
