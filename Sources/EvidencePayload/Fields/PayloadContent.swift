// SPDX-License-Identifier: Apache-2.0
package import EvidenceErrors
internal import VendorDocuments
internal import VendorTypes

/// Which content can be extracted from a payload, and why not.
extension PayloadIndex {
    /// A sealed field. One without its wrapped key is refused: anyone could have made it.
    package func sealedContent(of field: SealedField) throws(EvidenceError) -> Value {
        try refuseAndroidKey(for: field.content)
        guard let content = try value(field.content) else { throw noContent(field.content) }
        guard try wrappedKey(of: field) != nil else {
            throw EvidenceError(
                .notSealed,
                "\(field.wrappedKey.name) is absent or empty: \(field.content.name) is not sealed, "
                    + "or its key was removed",
                hint: """
                    anyone could have put unsealed content there; if the app was given no public key, extract it with \
                    UnsealedContent.video
                    """)
        }
        return content
    }

    /// A video that was never sealed.
    ///
    /// - Parameter isVisible: whether its bytes begin like a video as they stand, so that the key beside it is not its.
    func plainVideo(isVisible: Bool = false) throws(EvidenceError) -> Value {
        try refuseAndroidKey(for: .userVideoString)
        let key = try wrappedKey(of: .video)
        guard isVisible || key == nil else {
            throw EvidenceError(
                .sealed, "the video is sealed: \(FieldName.videoEncryptAESKey) is present",
                hint: "open it with its private key")
        }
        guard let video = try value(.userVideoString), !video.range.isEmpty else {
            throw noContent(.userVideoString)
        }
        return video
    }

    /// The photo. One that is sealed cannot be opened by this version.
    func plainPhoto() throws(EvidenceError) -> Value {
        guard let photo = try photo(), !photo.range.isEmpty else { throw noContent(.userImageString) }
        guard !isPhotoSealed else {
            throw EvidenceError(
                .sealed, "the photo is sealed: \(FieldName.imageEncryptAESKey) is present",
                hint: "a later version of this toolkit may open it")
        }
        return photo
    }

    func noContent(_ field: PayloadField) -> EvidenceError {
        let hint =
            if field == .userImageString, hasUnreadPhoto {
                Self.aliasHint
            } else if hasDeeper(field) {
                isDeeperInWrapper ? Self.wrapperHint : Self.deeperHint
            } else if field == .userImageString {
                "the photo is in the whole result, not in the simple-mode object alone; some results have none"
            } else if field == .userVideoString {
                Self.noVideoHint
            } else {
                "the SDK returns it only in simple mode"
            }
        let error = EvidenceError(.missing, "the payload has no \(field.name)", hint: hint)
        let repair: DocumentRepair.Code? =
            hint == Self.wrapperHint ? .envelope : hint == Self.aliasHint ? .name : nil
        return repair.map { error.readable(after: [$0.rawValue]) } ?? error
    }

    // Hints that the command gives in words of its own.
    package static let noVideoHint = "the SDK returns a video only in simple mode with recordVideo and returnVideo on"
    package static let deeperHint = "one is nested deeper: pass only the object that contains it"

    /// A list of texts, which are joined, or of numbers, or an object with one, as a string of JSON, in which nothing
    /// else is changed.
    package static let notTextHint =
        "if it is a list of texts or of bytes, make a string of it (the repair printed-bytes reads bytes): "
        + #"perl -0777 -pe 'my $f = qr/"(?:user\w+String|\w*[Ee]ncrypt\w*Key|identifyStr|image)"\s*:\s*/; "#
        + #"s/($f)\[\s*("[^\]]*")\s*\]/my ($n, $v) = ($1, $2); $v =~ s{"\s*,\s*"}{}g; "$n$v"/ge; "#
        + #"s/($f)(\[[^\]"]*\]|\{[^{}]*\})/"#
        + #"my ($n, $v) = ($1, $2); $v =~ s,\s,,g; $v =~ s,",\\",g; "$n\"$v\""/ge' FILE > COPY"#

    // The same, where a repair reads it.
    package static let wrapperHint = "one is in the object of a wrapper"
    package static let aliasHint = "one is there under the name that a wrapper gives it"

    private func refuseAndroidKey(for field: PayloadField) throws(EvidenceError) {
        guard field == .userVideoString, hasAndroidKey, try wrappedKey(of: .video) == nil else { return }
        throw EvidenceError(
            .repair, "the wrapped key is in \(FieldName.androidKey), as the vendor's Android SDK names it",
            hint: "it is read unless the reader is strict")
    }
}

extension EvidenceError {
    // Hints that the command gives in words of its own.
    package static let base64IVHint = "this looks like base64 that was not decoded"
    package static let hexIVHint = "this looks like hex digits that were not decoded"
    static let otherOrder = EvidenceError(
        .otherOrder, "the payload is for a different order than expected",
        hint: "check its orderNo, and where the payload came from")
}
