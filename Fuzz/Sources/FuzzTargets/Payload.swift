// SPDX-License-Identifier: Apache-2.0
import EvidenceKit
import EvidencePayload

extension FuzzTarget {
    /// Payloads as they come: whatever is asked of one, a file and a pipe give the same, and a failure gives nothing.
    static let payload = FuzzTarget(name: "payload") { bytes in
        let video = try everyWay(bytes) { source, destination in
            try PayloadOpener(Keys.own).open(from: source, into: destination)
        }
        // In pieces, the result is the same.
        let handed = MemoryDestination()
        let pushed = outcome {
            let receiver = PayloadOpener(Keys.own).receiver(into: handed)
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(max(rest.count % 61, 1))
                try receiver.append(Array(piece).span)
                rest = rest.dropFirst(piece.count)
            }
            return try receiver.finish()
        }
        try hold(pushed.value == video.value?.report && handed.bytes == video.value?.bytes ?? [], "pushed or pulled")
        let plain = try everyWay(bytes) { source, destination in
            try UnsealedContent.video.extract(from: source, into: destination)
        }
        let photo = try everyWay(bytes) { source, destination in
            try UnsealedContent.photo.extract(from: source, into: destination)
        }
        try hold(video.value == nil || plain.value == nil, "a video is sealed or plain, not both")
        for found in [video, plain, photo].compactMap(\.value) {
            try hold(found.report.byteCount == found.bytes.count, "the report counts the bytes")
        }
        // An order other than the payload's is refused, whatever it is.
        if let order = plain.value?.report.orderNo, let other = try? OrderNumber(order.value == "x" ? "y" : "x") {
            let refused = outcome {
                try UnsealedContent.video.extract(of: other, from: MemorySource(bytes), into: MemoryDestination())
            }
            try hold(refused.value == nil, "another order is refused")
        }
        try checkSurvey(bytes, isPayload: plain.value != nil)
        let rewrapped = MemoryDestination()
        let rewrap = outcome {
            try PayloadOpener(Keys.own).rewrap(
                of: video.value?.report.orderNo ?? OrderNumber("x"), from: MemorySource(bytes),
                to: Keys.other.publicKey, into: rewrapped)
        }
        try hold((rewrap.value != nil) == !rewrapped.bytes.isEmpty, "a failure leaves nothing behind")
        try hold((rewrap.value != nil) == (video.value != nil), "what opens is rewrapped, and nothing else")
        if video.value != nil {
            let opened = MemoryDestination()
            _ = try PayloadOpener(Keys.other).open(from: MemorySource(rewrapped.bytes), into: opened)
            try hold(opened.bytes == video.value?.bytes, "what opens can be wrapped anew, and opens as before")
        }
    }

    /// What diagnosis asks of a payload agrees with what opening finds.
    private static func checkSurvey(_ bytes: [UInt8], isPayload: Bool) throws {
        let file = outcome { try PayloadSurvey(MemorySource(bytes)) }
        let pipe = outcome { try PayloadSurvey(PipeSource(bytes)) }
        try hold(file.complaint == pipe.complaint, "a survey of a pipe is that of a file")
        guard let survey = file.value else { return try hold(!isPayload, "what opens can be looked at") }
        var content: [UInt8] = []
        try survey.readContent { run in for i in run.indices { content.append(run[i]) } }
        if let range = survey.pair.contentRange {
            try hold(range.upperBound < bytes.count && content.count <= range.count, "the content is where it is said")
        }
        // A copy that changes nothing has the same characters; escapes are not kept.
        let copy = MemoryDestination()
        try survey.copy(into: copy) {
            { run, text in if let run { appendPlain(run, to: &text) } }
        }
        let again = outcome { try PayloadSurvey(MemorySource(copy.bytes)) }
        try hold(again.value?.orderNo == survey.orderNo && again.value?.extras == survey.extras, "a copy says the same")
    }

    /// The characters that need no escape, others as question marks.
    private static func appendPlain(_ run: Span<UInt8>, to text: inout [UInt8]) {
        for i in run.indices {
            let isPlain = (0x20..<0x7F).contains(run[i]) && run[i] != UInt8(ascii: "\"") && run[i] != UInt8(ascii: "\\")
            text.append(isPlain ? run[i] : UInt8(ascii: "?"))
        }
    }
}
