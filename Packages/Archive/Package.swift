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
let archive: Target.Dependency = .product(name: "EvidenceArchive", package: "evidence-kit")
let syntax: Target.Dependency = .product(name: "CommandSyntax", package: "evidence-kit")
let inputs: Target.Dependency = .product(name: "CommandInputs", package: "evidence-kit")
let support: Target.Dependency = .product(name: "TestVectorSupport", package: "evidence-kit")

/// Apart from the package itself, so that no user of the library needs SQLite: docs/ARCHIVE-INDEX.md.
let package = Package(
    name: "evidence-archive",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "EvidenceArchiveIndex", targets: ["EvidenceArchiveIndex"]),
        .executable(name: "evidence-archive", targets: ["evidence-archive"]),
    ],
    dependencies: [.package(name: "evidence-kit", path: "../..")],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "EvidenceArchiveIndex", dependencies: ["CSQLite", kit, archive], swiftSettings: settings),
        .executableTarget(
            name: "evidence-archive", dependencies: ["EvidenceArchiveIndex", kit, archive, syntax, inputs],
            swiftSettings: settings),
        // What a lookup costs among so many rows, without an archive of that size.
        .executableTarget(
            name: "index-benchmark", dependencies: ["EvidenceArchiveIndex", kit, archive], swiftSettings: settings),
        // Closes as many bags as are wanted: scripts/steps/soak-archive.py.
        .executableTarget(name: "archive-soak", dependencies: [kit, archive, inputs], swiftSettings: settings),
        // What must hold of every index file, replayed by the tests.
        .target(
            name: "IndexFuzz", dependencies: ["EvidenceArchiveIndex", kit, archive], path: "Fuzz/IndexFuzz",
            swiftSettings: settings),
        .testTarget(
            name: "EvidenceArchiveIndexTests", dependencies: ["EvidenceArchiveIndex", "IndexFuzz", kit, archive],
            swiftSettings: settings),
        // The command as a person would use it, with evidence-tool beside it.
        .testTarget(
            name: "ArchiveCommandTests", dependencies: ["evidence-archive", support], exclude: ["Scripts"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Without libFuzzer it has no `main`: scripts/steps/fuzz-Archive builds it.
if Context.environment["EVIDENCE_FUZZ"] != nil {
    package.targets.append(.executableTarget(name: "index-fuzz", dependencies: ["IndexFuzz"], path: "Fuzz/index-fuzz"))
}
