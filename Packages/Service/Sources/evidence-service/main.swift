// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceKit

// First, before anything allocates memory.
Command.endAtCrashes()
Command(
    .service, version: EvidenceVersions.evidenceKit,
    notes: """
        Exit status: 0 stopped as told, 1 stopped with requests unfinished, 2 usage
        error, 3 cannot start.
        """
).run(CommandLine.arguments, preparing: Serving.prepare)
