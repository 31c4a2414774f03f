internal import FaceVerification

/// What can be taken out of a payload, and why not.
extension PayloadIndex {
    /// A sealed field. One whose wrapped key is absent is refused: it may be anyone's.
    func sealedContent(of field: SealedField) throws(SimpleModeError) -> Value {
        try refuseAndroidKey(for: field.content)
        guard let content = try value(field.content) else { throw noContent(field.content) }
        guard try wrappedKey(of: field) != nil else {
            throw SimpleModeError(
                .payload, "\(field.content.rawValue) is not sealed: \(field.wrappedKey.rawValue) is absent or empty",
                remedy: .plainVideo)
        }
        return content
    }

    /// A video that was never sealed.
    func plainVideo() throws(SimpleModeError) -> Value {
        try refuseAndroidKey(for: .userVideoString)
        guard try wrappedKey(of: .video) == nil else {
            throw SimpleModeError(
                .payload, "the video is sealed: videoEncryptAESKey is there", remedy: .privateKey)
        }
        guard let video = try value(.userVideoString), !video.range.isEmpty else {
            throw noContent(.userVideoString)
        }
        return video
    }

    /// The photo, which is never sealed.
    func plainPhoto() throws(SimpleModeError) -> Value {
        guard let photo = try photo(), !photo.range.isEmpty else { throw noContent(.userImageString) }
        return photo
    }

    func noContent(_ field: PayloadField) -> SimpleModeError {
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
        return SimpleModeError(.payload, "there is no \(field.rawValue) in the payload", hint: hint)
    }

    private func refuseAndroidKey(for field: PayloadField) throws(SimpleModeError) {
        guard field == .userVideoString, hasAndroidKey, try wrappedKey(of: .video) == nil else { return }
        throw SimpleModeError(
            .payload, "the wrapped key stands in userEncryptKey, as Android's SDK names it",
            hint: """
                the video is sealed; give the field the name videoEncryptAESKey, as diagnose --repair \
                android-key-name does
                """)
    }
}
