// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import VendorTypes

/// What can be taken out of a payload, and why not.
extension PayloadIndex {
    /// A sealed field. One whose wrapped key is absent is refused: it may be anyone's.
    func sealedContent(of field: SealedField) throws(EvidenceError) -> Value {
        try refuseAndroidKey(for: field.content)
        guard let content = try value(field.content) else { throw noContent(field.content) }
        guard try wrappedKey(of: field) != nil else {
            throw EvidenceError(
                .notSealed, "\(field.content.name) is not sealed: \(field.wrappedKey.name) is absent or empty",
                hint: """
                    anyone can have put it there; if the app was given no public key, take it out with \
                    extractPlainVideo
                    """)
        }
        return content
    }

    /// A video that was never sealed.
    func plainVideo() throws(EvidenceError) -> Value {
        try refuseAndroidKey(for: .userVideoString)
        guard try wrappedKey(of: .video) == nil else {
            throw EvidenceError(
                .sealed, "the video is sealed: \(FieldName.videoEncryptAESKey) is there",
                hint: "open it with its private key")
        }
        guard let video = try value(.userVideoString), !video.range.isEmpty else {
            throw noContent(.userVideoString)
        }
        return video
    }

    /// The photo, which is never sealed.
    func plainPhoto() throws(EvidenceError) -> Value {
        guard let photo = try photo(), !photo.range.isEmpty else { throw noContent(.userImageString) }
        return photo
    }

    func noContent(_ field: PayloadField) -> EvidenceError {
        let hint =
            if hasDeeper(field) {
                "there is one deeper inside: hand over the object around it alone"
            } else if field == .userImageString {
                "a failed verification has none"
            } else if field == .userVideoString {
                "the SDK returns a video only in simple mode with recordVideo and returnVideo on"
            } else {
                "the SDK returns it only in simple mode"
            }
        return EvidenceError(.missing, "there is no \(field.name) in the payload", hint: hint)
    }

    private func refuseAndroidKey(for field: PayloadField) throws(EvidenceError) {
        guard field == .userVideoString, hasAndroidKey, try wrappedKey(of: .video) == nil else { return }
        throw EvidenceError(
            .repair, "the wrapped key stands in \(FieldName.androidKey), as Android's SDK names it",
            hint: """
                the video is sealed; give the field the name \(FieldName.videoEncryptAESKey), as the repair \
                android-key-name does
                """)
    }
}

extension EvidenceError {
    static let otherOrder = EvidenceError(
        .otherOrder, "the payload is not of the expected order",
        hint: "look at its orderNo, and at where you have the payload from")
}
