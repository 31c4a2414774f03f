// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// As in the package itself.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let kit = Target.Dependency.product(name: "EvidenceKit", package: "evidence-kit")
let syntax = Target.Dependency.product(name: "CommandSyntax", package: "evidence-kit")

/// Apart from the package itself, so that no user of the library needs an HTTP server: docs/SERVICE.md.
let package = Package(
    name: "evidence-service",
    products: [.executable(name: "evidence-service", targets: ["evidence-service"])],
    dependencies: [.package(name: "evidence-kit", path: "../..")],
    targets: [
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        // What Swift cannot call: variadic functions of the HTTP library; sockets, signals, systemd.
        .target(name: "CServiceSystem"),
        // Routes, answers, keys, metrics. Knows no socket.
        .target(name: "EvidenceService", dependencies: [kit], swiftSettings: settings),
        // The only place that knows libmicrohttpd, and the only one with pointers.
        .target(
            name: "HTTPEngine", dependencies: ["CMicroHTTPD", "CServiceSystem", "EvidenceService", kit],
            swiftSettings: settings),
        .executableTarget(
            name: "evidence-service", dependencies: ["EvidenceService", "HTTPEngine", "CServiceSystem", kit, syntax],
            swiftSettings: settings),
        // What must hold of every request, replayed by the tests.
        .target(name: "RequestFuzz", dependencies: ["EvidenceService", kit], swiftSettings: settings),
        .testTarget(
            name: "EvidenceServiceTests", dependencies: ["EvidenceService", "RequestFuzz", kit],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Without libFuzzer it has no `main`: scripts/steps/fuzz-Service builds it.
if Context.environment["EVIDENCE_FUZZ"] != nil {
    package.targets.append(.executableTarget(name: "service-fuzz", dependencies: ["RequestFuzz"]))
}
