// SPDX-License-Identifier: Apache-2.0
// The presets of docs/PROFILES.md with Go's own packages; its OAEP has one hash for both, so java-default is not there.
// Usage: go run envelope.go seal PUBLIC VIDEO FOLDER PROFILE...
package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"log"
	"os"
	"path/filepath"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func random(count int) []byte {
	bytes := make([]byte, count)
	must(rand.Read(bytes))
	return bytes
}

func seal(profile string, recipient *rsa.PublicKey, video []byte) map[string]any {
	key := random(32)
	if profile == "wbface-simple" || profile == "tencent-faceid" {
		key = []byte(hex.EncodeToString(key)[:32])
	}
	block := must(aes.NewCipher(key))
	payload := map[string]any{"orderNo": "ord1"}
	if profile == "evidence-v1" {
		nonce := random(12)
		aad := []byte("evidence-v1\nuserVideoString\nord1\n")
		payload["userVideoString"] = must(cipher.NewGCM(block)).Seal(nonce, nonce, video, aad)
		payload["videoEncryptAESKey"] = must(rsa.EncryptOAEP(sha256.New(), rand.Reader, recipient, key, nil))
		return payload
	}
	fill := 16 - len(video)%16
	sealed := bytes.Join([][]byte{video, bytes.Repeat([]byte{byte(fill)}, fill)}, nil)
	if profile == "zoloz" {
		for i := 0; i < len(sealed); i += 16 {
			block.Encrypt(sealed[i:i+16], sealed[i:i+16])
		}
	} else {
		iv := []byte("0123456789abcdef")
		if profile == "tencent-faceid" {
			iv = random(16)
			payload["Iv"] = iv
		}
		cipher.NewCBCEncrypter(block, iv).CryptBlocks(sealed, sealed)
	}
	payload["userVideoString"] = sealed
	payload["videoEncryptAESKey"] = must(rsa.EncryptPKCS1v15(rand.Reader, recipient, key))
	return payload
}

func main() {
	public, _ := pem.Decode(must(os.ReadFile(os.Args[2])))
	recipient := must(x509.ParsePKIXPublicKey(public.Bytes)).(*rsa.PublicKey)
	video := must(os.ReadFile(os.Args[3]))
	for _, profile := range os.Args[5:] {
		// Bytes become standard base64.
		text := must(json.Marshal(seal(profile, recipient, video)))
		if err := os.WriteFile(filepath.Join(os.Args[4], profile+".json"), text, 0o600); err != nil {
			log.Fatal(err)
		}
	}
}
