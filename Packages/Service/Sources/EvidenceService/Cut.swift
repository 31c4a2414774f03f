// SPDX-License-Identifier: Apache-2.0

/// Why the service ends a connection in the middle of a request.
public enum Cut: Sendable {
    /// A head, a body or an answer took too long, or nothing moved.
    case slow
    /// The service is stopping and no longer waits.
    case stopping

    var problem: Problem {
        switch self {
        case .slow:
            Problem(
                408, "too-slow", "the request was sent too slowly, or its response was read too slowly", closes: true)
        case .stopping:
            Problem(503, "stopping", "the service is stopping and did not wait for this request", closes: true)
        }
    }

    /// The answer if the engine cannot send one of the request itself; it has no request id.
    public var answer: Answer { Answer(problem, instance: nil) }
}
