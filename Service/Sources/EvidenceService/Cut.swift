// SPDX-License-Identifier: Apache-2.0

/// Why the service ends a connection in the middle of a request.
public enum Cut: Sendable {
    /// A head, a body or an answer took too long, or nothing moved.
    case slow
    /// The service stops, and waits no longer.
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

    /// What is sent where an engine can send nothing of the request's own, so without its number.
    public var answer: Answer { Answer(problem, instance: nil) }
}
