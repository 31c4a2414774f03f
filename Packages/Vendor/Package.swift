// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let kit: Target.Dependency = .product(name: "EvidenceKit", package: "evidence-kit")
let server: Target.Dependency = .product(name: "VendorServer", package: "evidence-kit")
let syntax: Target.Dependency = .product(name: "CommandSyntax", package: "evidence-kit")
let diagnosis: Target.Dependency = .product(name: "EvidenceDiagnosis", package: "evidence-kit")

/// What talks to the vendor's server: apart from the package itself, which opens no connection and needs no HTTP
/// library.
let package = Package(
    name: "evidence-vendor",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "VendorClient", targets: ["VendorClient"]),
        .library(name: "VendorHTTP", targets: ["VendorHTTP"]),
        .executable(name: "evidence-vendor", targets: ["evidence-vendor"]),
        .executable(name: "evidence-sandbox", targets: ["evidence-sandbox"]),
    ],
    dependencies: [.package(name: "evidence-kit", path: "../..")],
    targets: [
        .target(name: "VendorClient", dependencies: [kit, server], swiftSettings: settings),
        // What Swift cannot call of libcurl: variadic functions, callbacks.
        .target(name: "CVendorHTTP", linkerSettings: [.linkedLibrary("curl")]),
        .target(
            name: "VendorHTTP", dependencies: ["CVendorHTTP", kit, server, "VendorClient"], swiftSettings: settings),
        .executableTarget(
            name: "evidence-vendor", dependencies: [kit, server, syntax, "VendorClient", "VendorHTTP"],
            swiftSettings: settings),
        .target(name: "VendorSandbox", dependencies: [kit, server, diagnosis], swiftSettings: settings),
        .executableTarget(
            name: "evidence-sandbox", dependencies: [kit, syntax, "VendorSandbox"], swiftSettings: settings),
        .testTarget(
            name: "VendorClientTests",
            dependencies: [kit, server, "VendorClient", "VendorHTTP", "VendorSandbox", "evidence-vendor"],
            swiftSettings: settings),
        .testTarget(
            name: "VendorSandboxTests", dependencies: [kit, server, "VendorSandbox"], swiftSettings: settings),
        .testTarget(
            name: "FlowTests", dependencies: [kit, server, "VendorClient", "VendorHTTP", "VendorSandbox"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
