// SPDX-License-Identifier: Apache-2.0
import EvidenceEncoding
import EvidenceKit
import Foundation

/// 64 KiB of text, hot: GB of text in a second, ours and Foundation's in turn; the median of many rounds.
func measureBase64() throws {
    let bytes = (0..<49_152).map { _ in UInt8.random(in: .min ... .max) }
    let text = Base64.encode(bytes.span)
    let dataBytes = Data(bytes)
    let dataText = Data(text)
    var output: [UInt8] = []
    output.reserveCapacity(1 << 17)
    var check = 0

    let contestants: [(name: String, run: () throws -> Void)] = [
        (
            "decode",
            {
                output.removeAll(keepingCapacity: true)
                var decoder = Base64Decoder()
                try decoder.append(text.span, to: &output)
                try decoder.finish()
                check &+= output.count
            }
        ),
        ("decode Foundation", { check &+= Data(base64Encoded: dataText)?.count ?? 0 }),
        (
            "encode",
            {
                output.removeAll(keepingCapacity: true)
                var encoder = Base64Encoder()
                encoder.append(bytes.span, to: &output)
                encoder.finish(to: &output)
                check &+= output.count
            }
        ),
        ("encode Foundation", { check &+= dataBytes.base64EncodedData().count }),
    ]
    var rates = [[Double]](repeating: [], count: contestants.count)
    let repetitions = 200
    for _ in 0..<31 {
        for (i, contestant) in contestants.enumerated() {
            let time = try seconds { for _ in 0..<repetitions { try contestant.run() } }
            rates[i].append(Double(repetitions * text.count) / time / 1e9)
        }
    }
    guard check != 0 else { fatalError("nothing was done") }
    for (contestant, rates) in zip(contestants, rates) {
        print("\(contestant.name)\t\(rates.sorted()[rates.count / 2])")
    }
}
