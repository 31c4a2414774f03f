// SPDX-License-Identifier: Apache-2.0

// Package evidence is a client of evidence-service in one file, without dependencies.
//
//	service := evidence.NewService("/run/evidence/evidence.sock")
//	err := service.Open(payload, size, "video.mp4", url.Values{"orderNo": {"ord1"}})
//	report, err := service.Check(result, size, url.Values{"orderNo": {"ord1"}})
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
	"net"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Problem is what the service refused; Code is for programs.
type Problem struct {
	Status            int
	Code, Title, Hint string
}

func (p *Problem) Error() string { return fmt.Sprintf("%s (%d %s)", p.Title, p.Status, p.Code) }

// Service may be used by many goroutines at a time.
type Service struct{ client http.Client }

func NewService(path string) *Service {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "unix", path) }
	transport := &http.Transport{DialContext: dial, DisableCompression: true, IdleConnTimeout: 5 * time.Second}
	return &Service{http.Client{Transport: transport, Timeout: time.Minute}}
}

// Open opens the video of a payload into a new file: whole, or not at all.
func (s *Service) Open(payload io.Reader, size int64, destination string, query url.Values) error {
	part := destination + ".part"
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(part)
	err = s.request("open", payload, size, query, file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Link(part, destination)
}

// Check returns the report of a result. Look at its "verdict": only "holds" is yes.
func (s *Service) Check(result io.Reader, size int64, query url.Values) (report map[string]any, err error) {
	var answer bytes.Buffer
	if err = s.request("check", result, size, query, &answer); err == nil {
		err = json.Unmarshal(answer.Bytes(), &report)
	}
	return
}

func (s *Service) Verify(recipe, sign string, values map[string]string) (outcome map[string]any, err error) {
	body, err := json.Marshal(map[string]any{"recipe": recipe, "sign": sign, "values": values})
	if err != nil {
		return nil, err
	}
	var answer bytes.Buffer
	if err = s.request("verify", bytes.NewReader(body), int64(len(body)), nil, &answer); err == nil {
		err = json.Unmarshal(answer.Bytes(), &outcome)
	}
	return
}

func (s *Service) request(operation string, body io.Reader, size int64, query url.Values, destination io.Writer) error {
	request, err := http.NewRequest("POST", "http://evidence/v1/"+operation+"?"+query.Encode(), body)
	if err != nil {
		return err
	}
	request.ContentLength = size
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		return err
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
	if answer.StatusCode != http.StatusOK && answer.Header.Get("Repr-Digest") == "" {
		return &Problem{Status: answer.StatusCode, Title: "refused without a problem document"}
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
	problem := &Problem{Status: answer.StatusCode}
	if err = json.Unmarshal(refused.Bytes(), problem); err != nil {
		return err
	}
	return problem
}
