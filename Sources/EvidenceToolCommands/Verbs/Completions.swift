// SPDX-License-Identifier: Apache-2.0
extension Verb {
    private static let shells = ["bash", "zsh", "fish"]

    static let completions = Verb(
        name: "completions",
        summary: "write completions for a shell",
        discussion: "Prints a script that makes the shell complete verbs, options and what they take.",
        options: [],
        operand: Operand("SHELL", isRequired: true, known: shells, shells.joined(separator: ", ")),
        examples: [
            "bash > /etc/bash_completion.d/evidence-tool", "fish > ~/.config/fish/completions/evidence-tool.fish",
        ],
        run: { arguments in
            switch arguments.operand {
            case "bash": try Terminal.write(Completions.bash)
            case "zsh": try Terminal.write(Completions.zsh)
            case "fish": try Terminal.write(Completions.fish)
            default:
                throw CommandError(
                    .usage, "there are no completions for this SHELL",
                    hint: "use one of: \(shells.joined(separator: ", "))")
            }
        })
}

/// Completion scripts, made from the verbs' descriptions.
enum Completions {
    /// Verbs, and what else a command line can begin with.
    private static let beginnings = Verb.all.map(\.name) + ["help", "--help", "--version"]

    // MARK: - bash

    /// For bash 3.2 and later, whose words end at `=`, too.
    static var bash: String {
        let verbs = Verb.all.map { verb in
            let values = verb.options.filter { $0.value != nil }
            let places = values.map { "                \($0.name)) \(bashOffer($0.offer)); return ;;" }
            return """
                        \(verb.name))
                            values=' \(values.map(\.name).joined(separator: " ")) '
                            case $before in
                \((places + ["                *) ;;"]).joined(separator: "\n"))
                            esac
                            if [[ $word == -* ]]; then
                                _evidence_tool_offer '\(verb.dashed.joined(separator: " "))'
                                return
                            fi
                            _evidence_tool_first
                            case $first in
                \(bashOperands(verb).joined(separator: "\n"))
                            esac ;;
                """
        }
        return """
            _evidence_tool_offer() { # WORDS [f or d: and files, or folders]; no name that is offered is a pattern
                local line
                COMPREPLY=()
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -W "$1" -- "$word")
                case $1 in *=) compopt -o nospace 2> /dev/null ;; esac
                [[ -n ${2-} ]] || return 0
                compopt -o filenames 2> /dev/null
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "-$2" -- "$word")
            }
            _evidence_tool_first() { # the first word that is neither an option nor an option's value
                local i
                first=
                for ((i = 2; i < COMP_CWORD; i++)); do
                    case ${COMP_WORDS[i]} in
                        -?*)
                            [[ $values == *" ${COMP_WORDS[i]} "* ]] || continue
                            ((i++))
                            if [[ ${COMP_WORDS[i]} == = ]]; then ((i++)); fi ;;
                        *)
                            first=${COMP_WORDS[i]}
                            return ;;
                    esac
                done
            }
            _evidence_tool() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} values first
                if [[ $word == = ]]; then
                    word=
                elif [[ $before == = && ${COMP_WORDS[COMP_CWORD-2]} == -* ]]; then
                    before=${COMP_WORDS[COMP_CWORD-2]}
                fi
                COMPREPLY=()
                if ((COMP_CWORD == 1)); then
                    _evidence_tool_offer '\(beginnings.joined(separator: " "))'
                    return
                fi
                case ${COMP_WORDS[1]} in
                    help) _evidence_tool_offer '\(Verb.all.map(\.name).joined(separator: " "))' ;;
            \(verbs.joined(separator: "\n"))
                esac
            }
            complete -F _evidence_tool evidence-tool

            """
    }

    private static func bashOffer(_ offer: Offer) -> String {
        let words = "_evidence_tool_offer '\(offer.words.joined(separator: " "))'"
        return switch offer.paths {
        case .none: offer.words.isEmpty ? ":" : words
        case .files: words + " f"
        case .folders: words + " d"
        }
    }

    private static func bashOperands(_ verb: Verb) -> [String] {
        guard let operand = verb.operand else { return ["                *) ;;"] }
        let following = operand.following.sorted { $0.key < $1.key }
            .map { "                \($0.key)) \(bashOffer(Offer($0.value))) ;;" }
        let others = operand.isRepeatable ? bashOffer(operand.laterOffer) : ":"
        return ["                '') \(bashOffer(operand.offer)) ;;"] + following + ["                *) \(others) ;;"]
    }

    // MARK: - zsh

    static var zsh: String {
        let verbs = Verb.all.map { "    " + quoted("\($0.name):\($0.summary)") }
        let cases = Verb.all.map { verb in
            let options = verb.allOptions.map { option in
                let summary = option.summary.replacing("[", with: "\\[").replacing("]", with: "\\]")
                let value = option.value.map { ":\(zshText($0)):\(zshAction(option.offer))" } ?? ""
                // The value may be the next word, or stand in the same.
                let mark = option.value == nil ? "" : option.name.hasPrefix("--") ? "=" : "+"
                return quoted((option.isRepeatable ? "*" : "") + option.name + mark + "[\(summary)]" + value)
            }
            var operands: [String] = []
            if let operand = verb.operand {
                operands.append(quoted("1:\(zshText(operand.name)):\(zshAction(operand.offer))"))
                if operand.isRepeatable {
                    let isOfFirst = !operand.following.isEmpty
                    operands.append(quoted("*::value:" + (isOfFirst ? "->value" : zshAction(operand.laterOffer))))
                }
            }
            let following = verb.operand?.following.sorted { $0.key < $1.key } ?? []
            let later =
                following.isEmpty
                ? ""
                : "\n        [[ $state == value ]] && case $line[1] in\n"
                    + following.map {
                        "            \($0.key)) compadd -S '' -- \($0.value.joined(separator: " ")) ;;\n"
                    }
                    .joined() + "        esac"
            return "    \(verb.name))\n        _arguments -C \((options + operands).joined(separator: " "))\(later)\n"
                + "        ;;"
        }
        return """
            #compdef evidence-tool
            local state line
            local -a verbs=(
            \(verbs.joined(separator: "\n"))
            )
            if ((CURRENT == 2)); then
                _describe verb verbs
                return
            fi
            local verb=$words[2]
            shift words
            ((CURRENT--))
            case $verb in
                help) _describe verb verbs ;;
            \(cases.joined(separator: "\n"))
            esac

            """
    }

    private static func zshText(_ text: String) -> String { text.replacing(":", with: "\\:") }

    private static func zshAction(_ offer: Offer) -> String {
        let words = offer.words.isEmpty ? "" : "(\(offer.words.joined(separator: " ")))"
        return switch (offer.paths, offer.words.isEmpty) {
        case (.none, _): words
        case (.files, true): "_files"
        case (.folders, _): "_files -/"
        case (.files, false): "{compadd -- \(offer.words.joined(separator: " ")); _files}"
        }
    }

    // MARK: - fish

    static var fish: String {
        let head = """
            function __evidence_tool_verb
                set -l words (commandline -opc)
                test (count $words) -ge 2; and contains -- $words[2] $argv
            end
            # The first word after the verb that is neither an option nor an option's value, or one of those named.
            function __evidence_tool_first
                set -l words (commandline -opc)
                set -l values __evidence_tool_values_(string replace -a -- - _ $words[2])
                set -e words[1 2]
                while test (count $words) -gt 0
                    if string match -q -- '-?*' $words[1]
                        contains -- $words[1] $$values; and set -e words[1]
                    else
                        test (count $argv) -eq 0; or contains -- $words[1] $argv
                        return
                    end
                    set -e words[1]
                end
                return 1
            end
            complete -c evidence-tool -f
            complete -c evidence-tool -n 'test (count (commandline -opc)) -eq 1' -l help -d 'show the verbs'
            complete -c evidence-tool -n 'test (count (commandline -opc)) -eq 1' -l version -d 'show the version'
            complete -c evidence-tool -n '__evidence_tool_verb help' -a '\(Verb.all.map(\.name).joined(separator: " "))'

            """
        var lines: [String] = []
        for verb in Verb.all {
            let values = verb.options.filter { $0.value != nil }.map(\.name)
            lines.append(
                "set -g __evidence_tool_values_\(verb.name.replacing("-", with: "_")) \(values.joined(separator: " "))")
            lines.append(
                "complete -c evidence-tool -n 'test (count (commandline -opc)) -eq 1' -a \(verb.name) -d "
                    + quoted(verb.summary))
            let isVerb = "complete -c evidence-tool -n '__evidence_tool_verb \(verb.name)"
            for option in verb.allOptions {
                let name = (option.name.hasPrefix("--") ? "-l " : "-s ") + option.name.drop { $0 == "-" }
                let value = option.value == nil ? "" : " -r" + fishOffer(option.offer)
                lines.append("\(isVerb)' \(name)\(value) -d \(quoted(option.summary))")
            }
            guard let operand = verb.operand else { continue }
            lines.append("\(isVerb); and not __evidence_tool_first'" + fishOffer(operand.offer))
            for (first, words) in operand.following.sorted(by: { $0.key < $1.key }) {
                lines.append("\(isVerb); and __evidence_tool_first \(first)'" + fishOffer(Offer(words)))
            }
            if operand.isRepeatable, operand.following.isEmpty {
                lines.append("\(isVerb); and __evidence_tool_first'" + fishOffer(operand.laterOffer))
            }
        }
        return head + lines.joined(separator: "\n") + "\n"
    }

    private static func fishOffer(_ offer: Offer) -> String {
        let words = offer.words.isEmpty ? "" : " -a " + quoted(offer.words.joined(separator: " "))
        return switch offer.paths {
        case .none: " -f" + words
        case .files: " -F" + words
        case .folders: " -f -a '(__fish_complete_directories)'"
        }
    }

    /// Quotes a word for any of the three shells.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

/// What completions offer for a place.
private struct Offer {
    enum Paths { case none, files, folders }

    var words: [String]
    var paths = Paths.none

    init(_ words: [String], _ paths: Paths = .none) {
        self.words = words
        self.paths = paths
    }
}

extension Option {
    fileprivate var offer: Offer {
        switch value {
        case "DIR": Offer([], .folders)
        case "FILE", "[KIND:]FILE", "KEY", "PUB", "NEW": Offer(choices + known, .files)
        // A profile is one of the names, or a file.
        default: Offer(choices + known, name == Option.profile.name ? .files : .none)
        }
    }
}

extension Operand {
    /// Of the first of them.
    fileprivate var offer: Offer { Offer(known, known.isEmpty ? .files : .none) }
    /// Of those after it, where the first does not say.
    fileprivate var laterOffer: Offer { Offer([], .files) }
}

extension Verb {
    /// What a word that begins with a dash can be.
    fileprivate var dashed: [String] {
        allOptions.map(\.name) + (operand?.known ?? []).filter { $0.hasPrefix("-") }
    }
}
