// SPDX-License-Identifier: Apache-2.0
import CommandSyntax

// First, before anything allocates memory.
Command.endAtCrashes()
Command.evidenceArchive.run(CommandLine.arguments)
