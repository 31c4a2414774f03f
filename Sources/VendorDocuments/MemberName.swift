// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import VendorTypes

/// What the name of a member asks for beside a pass, and of what it speaks (`docs/FORMATS.md` §5.2).
struct MemberName {
    let text: String
    /// What the vendor's field of this name must say; of a path, its last part.
    let askedByVendor: FieldName.Agreement?
    /// The same where the whole name is the field's.
    let askedByField: FieldName.Agreement?
    /// What a member of this name must say; `nil` if nobody could take it for a verdict.
    let asked: FieldName.Agreement?
    /// Whether it is one that is read: not too long, and of letters that are what they look like.
    let isPlain: Bool
    /// Whether the member is its object's value, or names it, or says what was looked for.
    let isOfValue, isOfName, isOfCheck: Bool
    let isAside, isElsewhere, isFound, isDesignation, isOfPurpose: Bool
    /// Whether a number of eight digits may be a code there.
    let tellsCode: Bool
    /// Whether it is a field of the vendor's whose text says nothing about a verdict.
    let isWithoutVerdict: Bool

    /// Reads a name. Those of the vendor's were read before; each other one costs microseconds.
    static func read(_ text: String) -> MemberName { vendors[Array(text.utf8)] ?? MemberName(text) }

    private init(_ text: String) {
        let name = VerdictWords.Name(text)
        self.text = text
        askedByField = Self.verdicts[text]
        askedByVendor = askedByField ?? name.path.flatMap { Self.verdicts[$0] }
        asked = askedByVendor ?? name.agreement
        isPlain = name.isPlain
        isOfValue = FieldName.isOf(FieldName.ofValue, FieldName.valueEnds, text)
        isOfName = FieldName.isOf(FieldName.ofName, FieldName.nameEnds, text)
        isOfCheck = FieldName.isOfCheck(text)
        isAside = name.isAside
        isElsewhere = name.isElsewhere
        isFound = name.isFound
        isDesignation = name.isDesignation
        isOfPurpose = name.isOfPurpose
        tellsCode = isOfValue || name.tellsCode
        isWithoutVerdict = FieldName.withoutVerdict.contains(text)
    }

    private static let verdicts = LooseNames(FieldName.verdicts.map { ($0.name, $0.agreement) })

    // By their bytes: strings are equal to others that look alike.
    private static let vendors = Dictionary(
        FieldName.withoutVerdict.union(FieldName.verdicts.map(\.name)).map { (Array($0.utf8), MemberName($0)) },
        uniquingKeysWith: { first, _ in first })

    /// Whether it says how a check ended.
    var tellsEnd: Bool {
        if isFound || text == "success" { return true }
        return switch asked {
        case .affirms, .isGood, .isState: true
        default: false
        }
    }

    /// What is asked of it where the check is for what is looked for.
    func asked(in look: FieldName.Agreement?) -> FieldName.Agreement? {
        if isFound { return .isNoHit }
        guard text == "success" || asked == .affirms else { return look }
        return VerdictWords.isOfHit(text) ? .isAmbiguous : asked
    }
}
