<?php
// SPDX-License-Identifier: Apache-2.0
// php gists.php, beside clip.mp4 and pub.pem
$v=file_get_contents('clip.mp4');$pub=file_get_contents('pub.pem');
function out($n,$o){file_put_contents("$n.json",json_encode($o));}
// a short key and a long iv text: PHP fills and cuts
$key='secret-key-16chr';$iv='this iv text is longer than sixteen';
openssl_public_encrypt($key,$w,$pub);
out('php-short',['orderNo'=>'o1','videoEncryptAESKey'=>base64_encode($w),'userVideoString'=>@openssl_encrypt($v,'aes-256-cbc',$key,0,$iv)]);
// gcm: iv . tag . ct
$key=random_bytes(32);$iv=random_bytes(12);openssl_public_encrypt($key,$w,$pub,OPENSSL_PKCS1_OAEP_PADDING);
$ct=openssl_encrypt($v,'aes-256-gcm',$key,OPENSSL_RAW_DATA,$iv,$tag);
out('php-gcm',['orderNo'=>'o1','videoEncryptAESKey'=>base64_encode($w),'userVideoString'=>base64_encode($iv.$tag.$ct)]);
// zero padding, iv of the key (answers on the Chinese web), no RSA padding
$key=random_bytes(32);$block=str_repeat("\0",256-32).$key;openssl_public_encrypt($block,$w,$pub,OPENSSL_NO_PADDING);
$z=$v.str_repeat("\0",(16-strlen($v)%16)%16);
out('php-zero',['orderNo'=>'o1','videoEncryptAESKey'=>base64_encode($w),'userVideoString'=>base64_encode(openssl_encrypt($z,'aes-256-cbc',$key,OPENSSL_RAW_DATA|OPENSSL_ZERO_PADDING,substr($key,0,16)))]);
