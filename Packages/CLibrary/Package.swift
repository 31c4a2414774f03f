// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// `libevidence.so`. Apart from the package itself: how it is linked needs unsafe flags, with which a package can be
/// nobody's dependency.
let package = Package(
    name: "evidence-c",
    products: [.library(name: "evidence", type: .dynamic, targets: ["EvidenceLibrary"])],
    dependencies: [.package(name: "evidence-kit", path: "../..")],
    targets: [
        // The header, for Swift: the compiler compares each function with its declaration.
        .target(name: "CEvidence"),
        .target(
            name: "EvidenceLibrary",
            dependencies: ["CEvidence", .product(name: "EvidenceKit", package: "evidence-kit")],
            swiftSettings: [
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
            ],
            linkerSettings: [
                .unsafeFlags([
                    "-static-stdlib",
                    "-Xlinker", "--version-script=\(Context.packageDirectory)/evidence.map",
                    "-Xlinker", "-soname=libevidence.so.1",
                    // The Swift runtime, and what a thread frees when it ends, are never unmapped.
                    "-Xlinker", "-z", "-Xlinker", "nodelete",
                    "-Xlinker", "-z", "-Xlinker", "now",
                ])
            ]),
    ],
    swiftLanguageModes: [.v6]
)
