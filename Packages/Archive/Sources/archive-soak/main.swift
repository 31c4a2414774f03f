// SPDX-License-Identifier: Apache-2.0
// archive-soak ARCHIVE RECORD KEY CERTIFICATE BAGS SECONDS: closes bags, each with one hold on a record, until the
// archive has so many or so many seconds have passed, and says what each thousand took: scripts/steps/soak-archive.py.
import CommandInputs
import EvidenceArchive
import EvidenceKit

let words = CommandLine.arguments
guard words.count == 7, let record = RecordID(words[2]), let goal = Int(words[5]), let limit = Int(words[6]) else {
    throw EvidenceError(.value, "it takes six words, of which the last two are numbers")
}
let certificate = try FileSource(regularFileAt: words[4]).readAll(limit: 65_536, name: words[4])
let (key, chain) = (try SigningKey(RSAPrivateKey(contentsOf: words[3])), try Certificates(encoded: certificate))
let clock = ContinuousClock()
let begun = clock.now

func say(_ text: String) throws {
    let bytes = Array((text + "\n").utf8)
    try DescriptorDestination(descriptor: 1, name: "standard output").write(bytes.span)
}

let writer = try ArchiveWriter(path: words[1], at: Clock.requireNow())
var count = try writer.archive.bagCount()
var (last, lastCount) = (begun, count)
while count < goal, clock.now - begun < .seconds(limit) {
    let now = try Clock.requireNow()
    try writer.hold(record, at: now)
    count = try writer.close(signedBy: key, chain, agent: "archive-soak", at: now).number
    guard count % 1_000 == 0 || count == goal else { continue }
    let milliseconds = (clock.now - last) / .milliseconds(1) / Double(count - lastCount)
    try say("bag \(count): \(Int(milliseconds * 1_000)) µs a bag")
    (last, lastCount) = (clock.now, count)
}
