# SPDX-License-Identifier: Apache-2.0
# Inside a fresh Debian, as root, for scripts/steps/check-packages: /release has the packages, /old those of the version
# before, /vectors keys and a sealed sample. Installed, used, upgraded, used, purged.
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends "$@" > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }; }
use() {
    local folder=/tmp/use
    rm -rf $folder && mkdir $folder && cd $folder
    evidence-tool --version
    evidence-tool decrypt --key /vectors/rsa3072.pem -o sample.mp4 /vectors/payload.json
    cmp sample.mp4 /vectors/clip.mp4
    evidence-tool keygen -o key.pem --public public.pem
    evidence-tool encrypt --public public.pem --order-no ord1 -o payload.json sample.mp4
    evidence-tool decrypt --key key.pem --order-no ord1 -o opened.mp4 payload.json
    cmp sample.mp4 opened.mp4
    evidence-archive --version
    evidence-vendor --help > /dev/null
    evidence-sandbox --help > /dev/null
    evidence-service --socket service.sock --key key.pem 2> service.log &
    until [ -S service.sock ]; do sleep 0.1; done
    curl -sS -f --unix-socket service.sock -H 'Content-Type: application/json' --data-binary @payload.json \
        'http://evidence/v1/open?orderNo=ord1' | cmp - sample.mp4
    kill $! && wait $!
    printf '#include <evidence.h>\n#include <stdio.h>\nint main(void) { puts(evidence_version()); return 0; }\n' > version.c
    gcc version.c -o version $(pkg-config --cflags --libs evidence)
    ./version
    cd /
}
apt-get update -qq
install curl gcc libc6-dev pkg-config
install /old/*.deb
[ "$(dpkg-query -W -f '${Version}' evidence-tool)" = 0.9 ]
use
[ "$(stat -c '%a %U' /etc/evidence)" = "700 root" ]
getent passwd evidence
getent group evidence-callers
# What the operator wrote stays; what nobody changed is renewed.
echo 'OPTIONS="--max-requests 8"' > /etc/default/evidence-service
echo key > /etc/evidence/key.pem
grep 'version before' /etc/default/evidence-vendor
install -o Dpkg::Options::=--force-confold /release/*.deb
[ "$(dpkg-query -W -f '${Version}' evidence-tool)" != 0.9 ]
grep -x 'OPTIONS="--max-requests 8"' /etc/default/evidence-service
if grep 'version before' /etc/default/evidence-vendor; then exit 1; fi
use
# Where docs/SERVICE.md says that they are.
ls /usr/share/doc/evidence-service/openapi.yaml /usr/share/doc/evidence-service/examples/clients/evidence_client.py
systemd_units=$(ls /usr/lib/systemd/system/evidence*)
[ "$(wc -l <<< "$systemd_units")" = 3 ]
mkdir -p /var/lib/evidence-keeper/store /var/lib/evidence-tickets
apt-get purge -y -qq 'evidence-*' 'libevidence*' > /tmp/apt.log
left=$(find / -xdev \( -path /proc -o -path /old -o -path /release -o -path /vectors -o -path /tmp -o -path /var/log \) -prune \
    -o -path '*evidence*' -print | sort)
[ "$left" = "/etc/evidence
/etc/evidence/key.pem" ]
echo "installed, used, upgraded, used, purged: $(. /etc/os-release; echo "$PRETTY_NAME")"
