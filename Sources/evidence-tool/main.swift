// SPDX-License-Identifier: Apache-2.0
import CommandSyntax
import EvidenceToolCommands

// First, before anything allocates memory.
Command.endAtCrashes()
Command.evidenceTool.run(CommandLine.arguments)
