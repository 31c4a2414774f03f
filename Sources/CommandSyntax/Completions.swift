// SPDX-License-Identifier: Apache-2.0
internal import EvidenceEncoding
internal import EvidenceErrors
internal import EvidenceStreams

extension Verb {
    private static let next = Option(
        flag: "--next",
        "for the scripts: read the words of an unfinished line from standard input, a NUL after each, and write what "
            + "the last can be")
    private static let shells = ["bash", "zsh", "fish"]

    /// The verb that writes the completions of a command that has it.
    public static func completions(of command: @autoclosure @escaping @Sendable () -> Command, _ name: String) -> Verb {
        Verb(
            name: "completions",
            summary: "write completions for a shell",
            discussion: """
                Prints a script with which the shell completes verbs, options and their values. At each completion, the
                script runs the \(name) in PATH.
                """,
            options: [next],
            operands: [Operand("SHELL", known: shells, shells.joined(separator: ", "))],
            examples: [
                "bash > /etc/bash_completion.d/\(name)", "fish \\\n  > ~/.config/fish/completions/\(name).fish",
            ],
            run: { arguments in
                if arguments.has(next) { return try printNext(command()) }
                let hint = "use one of: \(shells.joined(separator: ", "))"
                guard let shell = arguments.operand else {
                    throw CommandError(.usage, "completions needs a SHELL", hint: hint)
                }
                guard let script = Completions.script(for: shell, of: name) else {
                    throw CommandError(unknown: "shell", shell, among: shells, hint: hint)
                }
                try Terminal.write(script)
            })
    }

    private static func printNext(_ command: Command) throws {
        let bytes = try FileSource(descriptor: 0, name: "standard input").readAll(
            limit: Limits.completedLineBytes, name: "standard input")
        guard bytes.last == 0, let text = String(validating: bytes.dropLast(), as: UTF8.self), !text.contains("\n")
        else {
            throw CommandError(.usage, "standard input must be one line of words in UTF-8, each followed by a NUL")
        }
        var words = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        let current = words.removeLast()
        try Terminal.write(Offers(command, after: words, completing: current).text)
    }
}

/// The scripts. They pass the words on, and offer what comes back in the shell's way; what that is, `Offers` decides
/// for all of them.
private enum Completions {
    /// The script of a command; `nil` for another shell.
    static func script(for shell: String, of command: String) -> String? {
        let scripts = ["bash": bash, "zsh": zsh, "fish": fish]
        return scripts[shell]?.replacing("evidence-tool", with: command)
            .replacing("evidence_tool", with: command.replacing("-", with: "_"))
    }

    /// For bash 3.2 and later, which splits words at `=`, `:` and `@`, too.
    static let bash = #"""
        _evidence_tool_next() { printf '%s\0' "$@" | command evidence-tool completions --next 2> /dev/null; }
        _evidence_tool() {
            # The words as they stand on the line: a piece with no blank before it belongs to the word before.
            local line=${COMP_LINE:0:COMP_POINT} piece rest words=()
            for piece in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
                rest=${line#"${line%%[![:space:]]*}"}
                if ((${#words[@]})) && [[ $rest == "$line" ]]; then
                    words[${#words[@]} - 1]+=$piece
                else
                    words+=("$piece")
                fi
                line=${rest#"$piece"}
            done
            local last=$((${#words[@]} - 1))
            local word=${words[last]} paths= prefix= entry reply=()
            # Of the word, readline replaces what follows the last place at which it splits.
            local kept=${word%"$2"}
            word=${word//[\"\']/} word=${word/\\@/@} kept=${kept//[\"\']/}
            words[last]=$word
            for ((entry = 1; entry < last; entry++)); do words[entry]=${words[entry]//[\"\'\\]/}; done
            while IFS= read -r entry; do
                if [[ -z $paths ]]; then
                    paths=${entry%%$'\t'*} prefix=${entry#*$'\t'}
                else
                    reply+=("$prefix${entry%%$'\t'*}")
                fi
            done < <(_evidence_tool_next "${words[@]:1}")
            if [[ ${#reply[@]} == 1 && ${reply[0]} == *[=:] ]]; then compopt -o nospace 2> /dev/null; fi
            case $paths in files) paths=f ;; folders) paths=d ;; *) paths= ;; esac
            if [[ -n $paths ]]; then
                while IFS= read -r entry; do
                    reply+=("$prefix$entry")
                    compopt -o filenames 2> /dev/null
                done < <(compgen "-$paths" -- "${word#"$prefix"}")
            fi
            COMPREPLY=()
            for entry in "${reply[@]}"; do COMPREPLY+=("${entry#"$kept"}"); done
        }
        complete -F _evidence_tool evidence-tool

        """#

    static let zsh = #"""
        #compdef evidence-tool
        _evidence_tool() {
            local -a lines names shown bare
            local entry
            lines=("${(@f)$(
                printf '%s\0' "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" |
                    command evidence-tool completions --next 2> /dev/null
            )}")
            (($#lines)) || return 1
            local paths=${lines[1]%%$'\t'*} prefix=${lines[1]#*$'\t'} found=1
            compset -p $#prefix
            for entry in "${(@)lines[2,-1]}"; do
                if [[ $entry == *[=:]$'\t'* ]]; then
                    bare+=(${entry%%$'\t'*})
                else
                    names+=(${entry%%$'\t'*})
                    shown+=(${${entry%%$'\t'*}//:/\\:}:${entry#*$'\t'})
                fi
            done
            if [[ $entry == ?*$'\t'?* ]]; then
                _describe -V value shown names && found=0
            elif (($#names)); then
                compadd -a names && found=0
            fi
            if (($#bare)); then compadd -S '' -a bare && found=0; fi
            case $paths in
                files) _files && found=0 ;;
                folders) _path_files -/ && found=0 ;;
            esac
            return found
        }
        if [[ $funcstack[1] == _evidence-tool ]]; then
            _evidence_tool "$@"
        else
            compdef _evidence_tool evidence-tool
        fi

        """#

    static let fish = #"""
        function __evidence_tool
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l lines (printf '%s\0' $words[2..] "$current" | command evidence-tool completions --next 2> /dev/null)
            test (count $lines) -gt 0; or return
            set -l head (string split -m 1 \t -- $lines[1])
            set -l prefix $head[2]
            for line in $lines[2..]
                printf '%s\n' $prefix$line
            end
            test $head[1] = none; and return
            set -l rest (string sub -s (math 1 + (string length -- "$prefix")) -- "$current")
            for path in (complete -C "'' $rest" | string replace -r '\t.*' '')
                if test $head[1] = files; or string match -q '*/' -- $path
                    printf '%s\n' $prefix$path
                end
            end
        end
        complete -c evidence-tool -e
        complete -c evidence-tool -f -a '(__evidence_tool)'

        """#
}
