// SPDX-License-Identifier: Apache-2.0

// Package evidence is a client of evidence-service in one file, without dependencies.
//
//	service := evidence.NewService("/run/evidence/evidence.sock")
//	err := service.Open(payload, "video.mp4", url.Values{"orderNo": {"ord1"}})
//	report, err := service.Check(request, url.Values{"orderNo": {"ord1"}, "userId": {"u1"}})
//
// A document is bytes, the path of a file, an *http.Request that came in, a *multipart.FileHeader, or any io.Reader: an
// *os.File, a bytes.Reader or strings.Reader, a pipe. A reader is read from where it stands, and not closed. What says no
// length is sent in chunks, unless WithLength gives one. An absent parameter is one that is not in the url.Values. The
// parameter iv, in hexadecimal, is sent as a header: queries are logged.
package evidence

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Problem is what the service refused; Code is for programs. errors.As finds it in whatever wraps it.
type Problem struct {
	Status            int
	Code, Title, Hint string
	RetryAfter        time.Duration `json:"-"` // 0 if the service said none
}

func (p *Problem) Error() string {
	said := fmt.Sprintf("%s (%d %s)", p.Title, p.Status, p.Code)
	if p.Hint != "" {
		said += ": " + p.Hint
	}
	return said
}

// Service may be used by many goroutines at a time.
type Service struct {
	path   string
	client http.Client
}

// NewService makes a client of the service at a Unix socket. Each request may take a minute.
func NewService(path string) *Service { return NewServiceWithTimeout(path, time.Minute) }

// NewServiceWithTimeout is NewService with another limit for each request.
func NewServiceWithTimeout(path string, timeout time.Duration) *Service {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	// A connection for each request: one that is kept may be closed just when the next request is sent.
	transport := &http.Transport{DialContext: dial, DisableCompression: true, DisableKeepAlives: true}
	return &Service{path, http.Client{Transport: transport, Timeout: timeout}}
}

// Open opens the video of a payload into a new file: whole, or not at all.
func (s *Service) Open(payload any, destination string, query url.Values) error {
	// A name of its own, of mode 0600: what a killed run left is in nobody's way.
	file, err := os.CreateTemp(filepath.Dir(destination), filepath.Base(destination)+".*.part")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if err = s.request("open", payload, query, file); err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Link(file.Name(), destination)
}

// Check returns the report of a result. Look at its "verdict": only "holds" is yes. Under a profile without a tag, or with a
// padding other than OAEP, it is a receipt and the verdict nil: extract makes a folder if everything holds.
func (s *Service) Check(result any, query url.Values) (report map[string]any, err error) {
	var answer bytes.Buffer
	if err = s.request("check", result, query, &answer); err == nil {
		report = map[string]any{"verdict": nil}
		err = json.Unmarshal(answer.Bytes(), &report)
	}
	return
}

func (s *Service) Verify(recipe, sign string, values map[string]string) (outcome map[string]any, err error) {
	for name, value := range values {
		// encoding/json would replace what is not UTF-8.
		if !utf8.ValidString(value) {
			return nil, fmt.Errorf("%s is not UTF-8", name)
		}
	}
	body, err := json.Marshal(map[string]any{"recipe": recipe, "sign": sign, "values": values})
	if err != nil {
		return nil, err
	}
	var answer bytes.Buffer
	if err = s.request("verify", bytes.NewReader(body), nil, &answer); err == nil {
		err = json.Unmarshal(answer.Bytes(), &outcome)
	}
	return
}

// source keeps why a document could not be read: the transport may tell what came of it only.
type source struct {
	io.Reader
	size, left int64
	fault      atomic.Value
}

func (s *source) Read(piece []byte) (int, error) {
	count, err := s.Reader.Read(piece)
	s.left -= int64(count)
	// Whether it ends there is found out before its last bytes are sent: the answer would come first.
	if s.size >= 0 && s.left == 0 && count > 0 {
		more, _ := s.Reader.Read(make([]byte, 1))
		s.left -= int64(more)
	}
	switch {
	case s.size >= 0 && s.left < 0:
		count, err = 0, errors.New("it grew while it was sent")
	case s.size >= 0 && s.left > 0 && err == io.EOF:
		err = fmt.Errorf("it ended %d bytes too early: it was cut off, or its length is another one", s.left)
	}
	if err != nil && err != io.EOF {
		s.fault.CompareAndSwap(nil, &err)
	}
	return count, err
}

type sized struct {
	io.Reader
	length int64
}

// WithLength is a document that is the next length bytes of a reader; no more is read. A negative length, which
// http.Request has for one that is not known, leaves the reader as it is.
func WithLength(document io.Reader, length int64) io.Reader {
	if length < 0 {
		return document
	}
	return &sized{io.LimitReader(document, length), length}
}

// opened is a document as a reader, and what closes what was opened here.
func opened(document any) (io.Reader, func() error, error) {
	nothing := func() error { return nil }
	if value := reflect.ValueOf(document); document == nil || value.Kind() == reflect.Pointer && value.IsNil() {
		return nil, nothing, errors.New("there is no document to send")
	}
	switch document := document.(type) {
	case string:
		// An error with the path would show it.
		if begin := strings.TrimLeft(document, "\ufeff \t\r\n"); len(document) > 4096 || strings.IndexAny(begin, "{[\"") == 0 {
			return nil, nothing, errors.New("this is a document, not the path of one: pass []byte(document)")
		}
		file, err := os.Open(document)
		if err != nil {
			return nil, nothing, err
		}
		return file, file.Close, nil
	case *multipart.FileHeader:
		file, err := document.Open()
		if err != nil {
			return nil, nothing, err
		}
		return WithLength(file, document.Size), file.Close, nil
	case *http.Request:
		if document.Body == nil {
			return http.NoBody, nothing, nil
		}
		return WithLength(document.Body, document.ContentLength), nothing, nil
	case io.Reader:
		return document, nothing, nil
	}
	if value := reflect.ValueOf(document); value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8 {
		return bytes.NewReader(value.Bytes()), nothing, nil
	}
	return nil, nothing, fmt.Errorf("a document is a path, bytes, a request or an io.Reader, not %T", document)
}

// length of what is left of a document, where it is certain; else -1, and it is sent in chunks.
func length(document io.Reader) int64 {
	switch document := document.(type) {
	case *sized:
		return document.length
	case *bytes.Reader:
		return int64(document.Len())
	case *bytes.Buffer:
		return int64(document.Len())
	case *strings.Reader:
		return int64(document.Len())
	case *os.File:
		status, err := document.Stat()
		if err != nil || !status.Mode().IsRegular() {
			return -1
		}
		if place, err := document.Seek(0, io.SeekCurrent); err == nil && place <= status.Size() {
			return status.Size() - place
		}
	}
	return -1
}

// encoded is the query, and the IV that goes into a header.
func encoded(query url.Values) (text, iv string, err error) {
	rest := url.Values{}
	for name, values := range query {
		if name != "iv" {
			rest[name] = values
		} else if iv = query.Get(name); iv != "" && (len(values) > 1 || strings.TrimLeft(iv, "0123456789abcdefABCDEF") != "") {
			return "", "", errors.New("iv must be hexadecimal digits")
		}
		for _, value := range values {
			if !utf8.ValidString(value) {
				return "", "", fmt.Errorf("%s is not UTF-8", name)
			}
		}
	}
	// It writes a plus sign as %2B, and a blank as a plus sign, which means both.
	return strings.ReplaceAll(rest.Encode(), "+", "%20"), iv, nil
}

func (s *Service) request(operation string, given any, query url.Values, destination io.Writer) error {
	text, iv, err := encoded(query)
	if err != nil {
		return err
	}
	document, closing, err := opened(given)
	if err != nil {
		return err
	}
	defer closing()
	size := length(document)
	body := &source{Reader: document, size: size, left: size}
	request, err := http.NewRequest("POST", "http://evidence/v1/"+operation+"?"+text, body)
	if err != nil {
		return err
	}
	if request.ContentLength = size; size == 0 {
		request.Body = http.NoBody
	}
	request.Header.Set("Content-Type", "application/json")
	if iv != "" {
		request.Header.Set("Evidence-IV", iv)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		if fault, _ := body.fault.Load().(*error); fault != nil {
			return fmt.Errorf("the document cannot be read: %w", *fault)
		}
		// Without the URL, which has values of the query.
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return fmt.Errorf("evidence-service at %s: %w", s.path, err)
	}
	defer answer.Body.Close()
	var refused bytes.Buffer
	if answer.StatusCode != http.StatusOK {
		destination = &refused
	}
	digest := sha256.New()
	if _, err = io.Copy(io.MultiWriter(destination, digest), answer.Body); err != nil {
		return err
	}
	problem := &Problem{Status: answer.StatusCode}
	if seconds, err := strconv.ParseUint(answer.Header.Get("Retry-After"), 10, 31); err == nil {
		problem.RetryAfter = time.Duration(seconds) * time.Second
	}
	if answer.StatusCode != http.StatusOK && answer.Header.Get("Repr-Digest") == "" {
		problem.Title = "refused without a problem document"
		return problem
	}
	if answer.ContentLength < 0 {
		return errors.New("the answer has no Content-Length")
	}
	if answer.Header.Get("Repr-Digest") != "sha-256=:"+base64.StdEncoding.EncodeToString(digest.Sum(nil))+":" {
		return errors.New("the answer was cut off")
	}
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	if err = json.Unmarshal(refused.Bytes(), problem); err != nil {
		return err
	}
	return problem
}
