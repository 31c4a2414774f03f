// SPDX-License-Identifier: Apache-2.0

// The rows of client-behaviour.ndjson in Go: main FOLDER.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"evidence.example/client/evidence"
)

var data []byte

func at(name string) *evidence.Service {
	return evidence.NewServiceWithTimeout(name+".sock", 20*time.Second)
}

func ask(name string, body any, query url.Values) (any, error) {
	whole := url.Values{"orderNo": {"ord1"}}
	for name, values := range query {
		whole[name] = values
	}
	report, err := at(name).Check(body, whole)
	return report["verdict"], err
}

func check(body any) (any, error) { return ask("evidence", body, nil) }

func file(name string, place int) *os.File {
	opened, _ := os.Open(name)
	_, _ = io.CopyN(io.Discard, opened, int64(place))
	return opened
}

func given() (any, error) {
	stream := bytes.NewBuffer(append(append([]byte{}, data...), "more"...))
	verdict, err := check(evidence.WithLength(stream, int64(len(data))))
	if stream.String() != "more" {
		return "the rest is gone", err
	}
	return verdict, err
}

func all(bodies ...any) (verdict any, err error) {
	for _, body := range bodies {
		if verdict, err = check(body); verdict != "holds" {
			break
		}
	}
	return
}

func opened(name string) (any, error) {
	return "opened", at("evidence").Open(file("payload.json", 0), name, url.Values{"orderNo": {"ord1"}})
}

func exists() (any, error) {
	_ = os.WriteFile("taken", []byte("before"), 0o600)
	_, err := opened("taken")
	if text, _ := os.ReadFile("taken"); errors.Is(err, os.ErrExist) && string(text) == "before" {
		return "kept", nil
	}
	return "lost", err
}

func busy(wrapped bool) (any, error) {
	_, err := ask("busy", bytes.NewReader(data), nil)
	if wrapped {
		err = fmt.Errorf("wrapped: %w", err)
	}
	var problem *evidence.Problem
	errors.As(err, &problem)
	return fmt.Sprint(problem.Code, " ", problem.RetryAfter.Seconds()), nil
}

func temporary() (any, error) {
	file, _ := os.CreateTemp("", "")
	defer os.Remove(file.Name())
	_, _ = file.Write(data)
	_, _ = file.Seek(0, io.SeekStart)
	return check(file)
}

func pipe() (any, error) {
	reading, writing, _ := os.Pipe()
	go func() {
		_, _ = writing.Write(data)
		writing.Close()
	}()
	return check(reading)
}

func pieces() (any, error) {
	reading, writing := io.Pipe()
	go func() {
		for start := 0; start < len(data); start += 999 {
			_, _ = writing.Write(data[start:min(start+999, len(data))])
		}
		writing.Close()
	}()
	return check(reading)
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func unzipped() (any, error) {
	reader, err := gzip.NewReader(file("result.json.gz", 0))
	if err != nil {
		return nil, err
	}
	return check(reader)
}

func dying() io.Reader {
	reading, writing := io.Pipe()
	go func() {
		_, _ = writing.Write(data[:5])
		writing.CloseWithError(errors.New("the disk is gone"))
	}()
	return reading
}

func many() (any, error) {
	service, verdicts := at("evidence"), make(chan any)
	for number := 0; number < 20; number++ {
		go func() {
			report, _ := service.Check(bytes.NewReader(data), url.Values{"orderNo": {"ord1"}})
			verdicts <- report["verdict"]
		}()
	}
	count := 0
	for number := 0; number < 20; number++ {
		if <-verdicts == "holds" {
			count++
		}
	}
	return fmt.Sprint("holds ", count), nil
}

type zeros struct{}

func (zeros) Read(piece []byte) (int, error) { return len(piece), nil }

func main() {
	_ = os.Chdir(os.Args[1])
	data, _ = os.ReadFile("result.json")
	whole := func() io.Reader { return bytes.NewReader(data) }
	length := int64(len(data))
	rows := []struct {
		name string
		row  func() (any, error)
	}{
		{"bytes", func() (any, error) {
			return all(data, json.RawMessage(data), whole(), strings.NewReader(string(data)))
		}},
		{"mutable-bytes", func() (any, error) { return check(append([]byte("junk"), data...)[4:]) }},
		{"path-text", func() (any, error) { return check("result.json") }},
		{"long-text", func() (any, error) { return check(strings.Repeat("xyz", 9_000)) }},
		{"other-type", func() (any, error) { return check(5) }},
		{"no-file", func() (any, error) { return check("absent.json") }},
		{"given-length", given},
		{"given-length-sent", func() (any, error) {
			return ask("echo", evidence.WithLength(io.MultiReader(whole()), length), nil)
		}},
		{"given-too-much", func() (any, error) { return ask("echo", evidence.WithLength(whole(), length+1), nil) }},
		{"given-nothing", func() (any, error) { return check(evidence.WithLength(whole(), 0)) }},
		{"no-length", func() (any, error) { return ask("echo", evidence.WithLength(io.MultiReader(whole()), -1), nil) }},
		{"file", func() (any, error) { return check(file("result.json", 0)) }},
		{"file-in-the-middle", func() (any, error) { return check(file("prefixed.json", 10)) }},
		{"temporary-file", temporary},
		{"stream", func() (any, error) {
			return check(io.MultiReader(bytes.NewBuffer(data[:9]), bytes.NewReader(data[9:])))
		}},
		{"pieces", pieces},
		{"gzip", unzipped},
		{"pipe", pipe},
		{"text-document", func() (any, error) { return check(string(data)) }},
		{"nothing", func() (any, error) { return check(nil) }},
		{"nil-pointer", func() (any, error) {
			var none *bytes.Buffer
			return check(none)
		}},
		{"absent-text", func() (any, error) { return ask("evidence", whole(), url.Values{"userId": {fmt.Sprint(nil)}}) }},
		{"consumed", func() (any, error) { return check(file("result.json", 1<<24)) }},
		{"empty", func() (any, error) { return check(bytes.NewReader(nil)) }},
		{"half", func() (any, error) { return check(bytes.NewReader(data[:len(data)/2])) }},
		{"length", func() (any, error) { return ask("echo", file("result.json", 0), nil) }},
		{"chunks", func() (any, error) { return ask("echo", io.MultiReader(whole()), nil) }},
		{"absent", func() (any, error) { return ask("echo", whole(), url.Values{"userId": nil}) }},
		{"iv", func() (any, error) { return ask("echo", whole(), url.Values{"iv": {"30aB"}}) }},
		{"not-an-iv", func() (any, error) { return ask("echo", whole(), url.Values{"iv": {"30\r\nA: b"}}) }},
		{"characters", func() (any, error) { return ask("echo", whole(), url.Values{"orderNo": {"a b+c&d=é%"}}) }},
		{"not-utf8", func() (any, error) { return ask("echo", whole(), url.Values{"userId": {"\x80"}}) }},
		{"retry-after", func() (any, error) { return busy(false) }},
		{"carried", func() (any, error) { return busy(true) }},
		{"html", func() (any, error) { return ask("html", whole(), nil) }},
		{"early", func() (any, error) { return ask("early", io.LimitReader(zeros{}, 20_000_000), nil) }},
		{"leftover", func() (any, error) { return opened("left") }},
		{"exists", exists},
		{"dead-source", func() (any, error) { return check(dying()) }},
		{"shrinks", func() (any, error) { return ask("shrinks", file("shrinks", 0), nil) }},
		{"grows", func() (any, error) { return ask("grows", file("grows", 0), nil) }},
		{"no-socket", func() (any, error) { return ask("nobody", whole(), nil) }},
		{"no-listener", func() (any, error) { return ask("dead", whole(), nil) }},
		{"verify-not-utf8", func() (any, error) {
			return at("evidence").Verify("front-end-result", "x", map[string]string{"orderNo": "\x80"})
		}},
		{"many-at-once", many},
		{"no-folder", func() (any, error) { return opened("nowhere/video") }},
		{"long-socket", func() (any, error) { return ask(strings.Repeat("/long", 40), whole(), nil) }},
		{"silent", func() (any, error) {
			_, err := evidence.NewServiceWithTimeout("silent.sock", time.Second).Check(whole(), nil)
			return nil, err
		}},
	}
	for _, row := range rows {
		begun := time.Now()
		outcome, err := row.row()
		var problem *evidence.Problem
		switch {
		case errors.As(err, &problem) && problem.Code != "":
			outcome = problem.Code
		case problem != nil:
			outcome = problem.Status
		case err != nil:
			outcome = "refused: " + err.Error()
		}
		if time.Since(begun) > 60*time.Second {
			outcome = "late"
		}
		fmt.Println(row.name, outcome)
	}
}
