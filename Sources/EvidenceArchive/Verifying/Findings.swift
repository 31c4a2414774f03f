// SPDX-License-Identifier: Apache-2.0
internal import EvidenceErrors
internal import ResultCheck

/// Where the findings of one verification go. It alone decides what they come to.
final class Findings {
    typealias Report = (ArchiveFinding) throws(EvidenceError) -> Void

    private(set) var verdict = ArchiveVerdict()
    private let requirements: Set<ArchiveFinding.Name>
    private let report: Report

    init(requiring requirements: Set<ArchiveFinding.Name>, _ report: @escaping Report) {
        // A signature says something only by a key that one expects.
        self.requirements = requirements.contains(.signature) ? requirements.union([.signer]) : requirements
        self.report = report
    }

    func add(
        _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name, _ state: CheckState, _ sentence: String,
        _ command: String? = nil, isWarning: Bool = false
    ) throws(EvidenceError) {
        switch state {
        case .fails: verdict.state = .fails
        case .unchecked where requirements.contains(name): requireMore()
        default: break
        }
        try report(
            ArchiveFinding(
                subject: subject, name: name, state: state, sentence: sentence, command: command, isWarning: isWarning))
    }

    /// What is wrong with the archive is a finding; what kept us from finding out is an error.
    func add(
        _ error: EvidenceError, _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name,
        _ command: String? = nil
    ) throws(EvidenceError) {
        if error.code.isSystem { throw error }
        try add(subject, name, .fails, error.told, command)
    }

    /// As many faults of a kind are listed one by one.
    private static let toldFaultCount = 20

    /// A finding for each of some faults.
    func add(
        failures faults: [String], _ subject: ArchiveFinding.Subject, _ name: ArchiveFinding.Name,
        _ command: String? = nil
    ) throws(EvidenceError) {
        for fault in faults.prefix(Self.toldFaultCount) { try add(subject, name, .fails, fault, command) }
        if faults.count > Self.toldFaultCount {
            try add(
                subject, name, .fails, "and \(faults.count - Self.toldFaultCount) more faults of this kind", command)
        }
    }

    /// Something that every yes needs was not there.
    func requireMore() { if verdict.state == .holds { verdict.state = .unchecked } }

    func count(bags: Int) { verdict.bagCount = bags }

    func countRecord() { verdict.recordCount += 1 }
}

extension EvidenceError {
    /// In a finding: what is wrong, and what to try.
    var told: String { description + (hint.map { "; \($0)" } ?? "") }
}

/// "1 record", "2 records".
func counted(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }
