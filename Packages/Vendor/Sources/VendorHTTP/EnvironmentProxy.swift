// SPDX-License-Identifier: Apache-2.0

/// The proxy that the environment sets for a host, as libcurl reads it: for messages, which name whoever failed.
struct EnvironmentProxy: Sendable {
    /// The variable that sets it.
    let variable: String
    /// Host and port, without credentials.
    let name: String

    /// What it is read from.
    static let variables = [
        "https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]

    /// `nil` if requests go to the host directly.
    init?(of host: String, scheme: String, _ environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        // HTTP_PROXY is what a CGI client sends as its header "Proxy", and is not read.
        let own = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        guard let variable = (own + ["all_proxy", "ALL_PROXY"]).first(where: { value($0) != nil }),
            let address = value(variable)
        else { return nil }
        let exceptions = (value("no_proxy") ?? value("NO_PROXY") ?? "").lowercased()
            .split(whereSeparator: { $0 == "," || $0 == " " }).map { $0.hasPrefix(".") ? $0.dropFirst() : $0 }
        let host = host.lowercased()
        guard !exceptions.contains(where: { $0 == "*" || host == $0 || host.hasSuffix(".\($0)") }) else { return nil }
        let rest = address.split(separator: "://", maxSplits: 1).last ?? ""
        let authority = rest.prefix { $0 != "/" }.split(separator: "@").last ?? ""
        let isPlain = authority.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:[]".contains($0)) }
        (self.variable, name) = (variable, isPlain && !authority.isEmpty ? String(authority) : "?")
    }

    /// For the end of a message.
    var suffix: String { " (through the proxy \(name) of \(variable))" }

    /// What libcurl's text says about the proxy; `nil` if it is not about the proxy.
    ///
    /// - Returns: the reason, and whether it may pass. The text itself may contain the proxy's password.
    func fault(in text: String, isConnecting: Bool) -> (reason: String, isPassing: Bool)? {
        let isAbout = ["proxy", "connect tunnel", "socks"].contains { text.lowercased().contains($0) }
        guard isAbout || isConnecting else { return nil }
        let who = "the proxy \(name) of the environment (\(variable))"
        if text.contains("Unsupported proxy") { return ("\(who) is not written as a URL of a proxy", false) }
        if isConnecting { return ("cannot connect to \(who)", true) }
        if text.contains("resolve proxy") { return ("\(who) has a host name that was not found", true) }
        let digits = text.split(whereSeparator: { !$0.isNumber }).map(String.init).first { $0.count == 3 }
        guard text.contains("CONNECT"), let digits, let status = Int(digits) else {
            return ("\(who) failed: it did not answer as a proxy does", true)
        }
        let what = status == 407 ? "asks for other credentials" : "refused to connect"
        return ("\(who) \(what) (status \(status))", status >= 500)
    }
}
