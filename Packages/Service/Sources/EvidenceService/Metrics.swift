// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The metrics. No label contains request data: the routes are a fixed list.
public final class Metrics: Sendable {
    private struct Counts {
        var routes: [String: Requests] = [:]
        var bytesIn: UInt64 = 0
        var bytesOut: UInt64 = 0
        var aborted: UInt64 = 0
        var cut: UInt64 = 0
        var reloads: [Bool: UInt64] = [:]
    }

    /// The requests of one route.
    private struct Requests {
        var statuses: [Int: UInt64] = [:]
        /// The number of requests in each bucket, the last one being for those that took longer.
        var buckets = Array(repeating: UInt64(0), count: Metrics.bounds.count + 1)
        var seconds = 0.0
    }

    private let connections = Atomic(0)
    private let counts = Mutex(Counts())
    private static let bounds: [Double] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 600]

    init() {}

    /// Counts a finished request.
    func count(_ route: String, _ status: Int, seconds: Double, bytesIn: UInt64, bytesOut: UInt64) {
        // Every request takes this lock: hold it as briefly as possible.
        let place = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        counts.withLock { counts in
            func add(_ requests: inout Requests) {
                requests.statuses[status, default: 0] += 1
                requests.buckets[place] += 1
                requests.seconds += seconds
            }
            add(&counts.routes[route, default: Requests()])
            counts.bytesIn += bytesIn
            counts.bytesOut += bytesOut
        }
    }

    /// Counts a request whose client disconnected.
    func countAborted() { counts.withLock { $0.aborted += 1 } }

    /// Counts a connection that was closed because it was too slow.
    public func countCut() { counts.withLock { $0.cut += 1 } }

    /// The number of open connections.
    public func set(connections count: Int) { connections.store(count, ordering: .relaxed) }

    /// Counts a reload of keys.
    func countReload(_ isDone: Bool) { counts.withLock { $0.reloads[isDone, default: 0] += 1 } }

    /// The Prometheus text format, 0.0.4.
    ///
    /// - Parameters:
    ///   - gauges: current values that are counted elsewhere.
    ///   - droppedLines: the same for lines of the log.
    func text(_ gauges: [(name: String, value: UInt64)], droppedLines: UInt64 = 0) -> String {
        let counts = counts.withLock { $0 }
        var lines: [String] = []
        func head(_ name: String, _ kind: String, _ help: String) {
            lines += ["# HELP evidence_\(name) \(help)", "# TYPE evidence_\(name) \(kind)"]
        }
        head("requests_total", "counter", "Requests by route and status.")
        let routes = counts.routes.sorted { $0.key < $1.key }
        for (route, requests) in routes {
            for (status, count) in requests.statuses.sorted(by: { $0.key < $1.key }) {
                lines.append("evidence_requests_total{route=\"\(route)\",status=\"\(status)\"} \(count)")
            }
        }
        head("request_seconds", "histogram", "Seconds from the end of the request head to the end of the response.")
        for (route, requests) in routes {
            var sum: UInt64 = 0
            for (bound, count) in zip(Self.bounds.map { "\($0)" } + ["+Inf"], requests.buckets) {
                sum += count
                lines.append("evidence_request_seconds_bucket{route=\"\(route)\",le=\"\(bound)\"} \(sum)")
            }
            lines.append("evidence_request_seconds_sum{route=\"\(route)\"} \(requests.seconds)")
            lines.append("evidence_request_seconds_count{route=\"\(route)\"} \(sum)")
        }
        for (name, help, value) in [
            ("received_bytes_total", "Bytes of request bodies received.", counts.bytesIn),
            ("sent_bytes_total", "Bytes of responses sent.", counts.bytesOut),
            ("aborted_total", "Requests whose client disconnected before the end.", counts.aborted),
            ("cut_total", "Connections closed because they were too slow.", counts.cut),
            ("dropped_log_lines_total", "Lines of the log that were lost: nobody read them in time.", droppedLines),
            ("reloads_total", "Successful reloads of keys.", counts.reloads[true] ?? 0),
            (
                "failed_reloads_total", "Failed reloads of keys; the old keys stayed in use.",
                counts.reloads[false] ?? 0
            ),
        ] {
            head(name, "counter", help)
            lines.append("evidence_\(name) \(value)")
        }
        for (name, value) in gauges + [("connections", UInt64(connections.load(ordering: .relaxed)))] {
            head(name, "gauge", "Now.")
            lines.append("evidence_\(name) \(value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
