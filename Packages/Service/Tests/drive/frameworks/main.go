// SPDX-License-Identifier: Apache-2.0

// What net/http gives, sent on: main SOCKET PORT.
package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"evidence.example/client/evidence"
)

func document(way string, request *http.Request) (any, error) {
	switch way {
	case "request":
		return request, nil
	case "body":
		return request.Body, nil
	case "length":
		return evidence.WithLength(request.Body, request.ContentLength), nil
	case "bytes":
		return io.ReadAll(request.Body)
	case "file":
		_, header, err := request.FormFile("result")
		return header, err
	case "file-stream":
		file, _, err := request.FormFile("result")
		return file, err
	case "file-path":
		file, _, err := request.FormFile("result")
		if err != nil {
			return nil, err
		}
		defer file.Close()
		kept, err := os.Create("kept.json")
		if err != nil {
			return nil, err
		}
		defer kept.Close()
		_, err = io.Copy(kept, file)
		return "kept.json", err
	}
	return nil, errors.New("no such way: " + way)
}

func main() {
	service := evidence.NewService(os.Args[1])
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		words := strings.Split(request.URL.Path, "/")
		given, err := document(words[1], request)
		if err == nil {
			var report map[string]any
			report, err = service.Check(given, url.Values{"orderNo": {words[2]}, "userId": {"u-1"}})
			if err == nil {
				_ = json.NewEncoder(response).Encode(map[string]any{"passed": report["verdict"] == "holds"})
				return
			}
		}
		var problem *evidence.Problem
		if !errors.As(err, &problem) {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		response.WriteHeader(problem.Status)
		_ = json.NewEncoder(response).Encode(map[string]any{"code": problem.Code})
	})
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[2], nil))
}
