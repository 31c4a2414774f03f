// SPDX-License-Identifier: Apache-2.0
// go run gists.go, beside clip.mp4 and pub.pem
package main
import ("crypto/aes";"crypto/cipher";"crypto/rand";"crypto/rsa";"crypto/sha256";"crypto/x509";"encoding/base64";"encoding/json";"encoding/pem";"os")
func main(){ v,_:=os.ReadFile("clip.mp4");p,_:=os.ReadFile("pub.pem");b,_:=pem.Decode(p);k,_:=x509.ParsePKIXPublicKey(b.Bytes);pub:=k.(*rsa.PublicKey)
 // crypto/cipher's own example of CTR
 key:=make([]byte,32);rand.Read(key);blk,_:=aes.NewCipher(key);ct:=make([]byte,16+len(v));rand.Read(ct[:16]);cipher.NewCTR(blk,ct[:16]).XORKeyStream(ct[16:],v)
 w,_:=rsa.EncryptOAEP(sha256.New(),rand.Reader,pub,key,nil)
 j,_:=json.Marshal(map[string]string{"orderNo":"o1","videoEncryptAESKey":base64.StdEncoding.EncodeToString(w),"userVideoString":base64.StdEncoding.EncodeToString(ct)});os.WriteFile("go-ctr.json",j,0644)
 // blockMode := cipher.NewCBCEncrypter(block, key[:blockSize])
 pad:=16-len(v)%16;d:=append([]byte{},v...);for i:=0;i<pad;i++{d=append(d,byte(pad))};cipher.NewCBCEncrypter(blk,key[:16]).CryptBlocks(d,d)
 w,_=rsa.EncryptPKCS1v15(rand.Reader,pub,key)
 j,_=json.Marshal(map[string]string{"orderNo":"o1","videoEncryptAESKey":base64.StdEncoding.EncodeToString(w),"userVideoString":base64.StdEncoding.EncodeToString(d)});os.WriteFile("go-cbc.json",j,0644)}
