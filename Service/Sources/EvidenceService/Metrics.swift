// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What is counted. No label carries anything of a request: routes come from a list.
public final class Metrics: Sendable {
    private struct Counts {
        var requests: [Key: UInt64] = [:]
        var milliseconds: [String: [UInt64]] = [:]
        var seconds: [String: Double] = [:]
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
        var gauges: [String: Int64] = [:]
        var aborted: UInt64 = 0
        var cut: UInt64 = 0
        var reloads: [Bool: UInt64] = [:]
    }

    private struct Key: Hashable {
        let route: String
        let status: Int
    }

    private let counts = Mutex(Counts())
    private static let bounds: [Double] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600]

    init() {}

    /// A request is over.
    func count(_ route: String, _ status: Int, seconds: Double, bytesIn: UInt64, bytesOut: UInt64) {
        counts.withLock { counts in
            counts.requests[Key(route: route, status: status), default: 0] += 1
            let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
            counts.milliseconds[route, default: Array(repeating: 0, count: Self.bounds.count + 1)][place] += 1
            counts.seconds[route, default: 0] += seconds
            counts.bytesIn += bytesIn
            counts.bytesOut += bytesOut
        }
    }

    /// Somebody went away in the middle.
    func countAborted() { counts.withLock { $0.aborted += 1 } }

    /// A connection was cut because it was too slow.
    public func countCut() { counts.withLock { $0.cut += 1 } }

    /// The keys were read again.
    func countReload(_ isDone: Bool) { counts.withLock { $0.reloads[isDone, default: 0] += 1 } }

    /// How many of something there are now.
    public func set(_ gauge: String, _ value: Int64) { counts.withLock { $0.gauges[gauge] = value } }

    /// The Prometheus text format, 0.0.4.
    var text: String {
        let counts = counts.withLock { $0 }
        var lines: [String] = []
        func head(_ name: String, _ kind: String, _ help: String) {
            lines += ["# HELP evidence_\(name) \(help)", "# TYPE evidence_\(name) \(kind)"]
        }
        head("requests_total", "counter", "Requests by route and status.")
        for (key, count) in counts.requests.sorted(by: { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }
        ) {
            lines.append("evidence_requests_total{route=\"\(key.route)\",status=\"\(key.status)\"} \(count)")
        }
        head("request_seconds", "histogram", "Seconds from the end of a head to the end of its answer.")
        for (route, buckets) in counts.milliseconds.sorted(by: { $0.key < $1.key }) {
            var sum: UInt64 = 0
            for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], buckets) {
                sum += count
                lines.append("evidence_request_seconds_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)")
            }
            lines.append("evidence_request_seconds_sum{route=\"\(route)\"} \(counts.seconds[route] ?? 0)")
            lines.append("evidence_request_seconds_count{route=\"\(route)\"} \(sum)")
        }
        for (name, help, value) in [
            ("received_bytes_total", "Bytes of bodies that were received.", counts.bytesIn),
            ("sent_bytes_total", "Bytes of answers that were sent.", counts.bytesOut),
            ("aborted_total", "Requests whose client went away before the end.", counts.aborted),
            ("cut_total", "Connections that were cut because they were too slow.", counts.cut),
            ("reloads_total", "Times that keys were read again.", counts.reloads[true] ?? 0),
            (
                "failed_reloads_total", "Times that they could not be, and the old ones stayed.",
                counts.reloads[false] ?? 0
            ),
        ] {
            head(name, "counter", help)
            lines.append("evidence_\(name) \(value)")
        }
        for (name, value) in counts.gauges.sorted(by: { $0.key < $1.key }) {
            head(name, "gauge", "Now.")
            lines.append("evidence_\(name) \(value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
