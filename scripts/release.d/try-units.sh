# SPDX-License-Identifier: Apache-2.0
# Inside the systemd of scripts/steps/check-packages, where the packages of the version before are installed: the service and
# the keeper beside the sandbox, as an operator sets them up; upgrades while they run; the profile of the vendor's SDK, as
# docs/SERVICE.md prints it; and the purge.
export DEBIAN_FRONTEND=noninteractive
trap 'journalctl -o cat --no-pager -u "evidence*" | tail -n 30' ERR
socket=/run/evidence/evidence.sock
ask() { curl -sS -f -m 20 --unix-socket $socket -H 'Content-Type: application/json' "$@"; }
wait_until() { for _ in $(seq 120); do "$@" && return; sleep 0.5; done; return 1; }
sign() { printf '%s\n' TIDA0001 ord1 0 "$1" | LC_ALL=C sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1 | tr a-f A-F; }
works() {
    ask --data-binary @/vectors/payload.json "http://evidence/v1/open?orderNo=order20250001" | cmp - /vectors/clip.mp4
    ask http://evidence/v1/verify -d '{"recipe":"front-end-result","sign":"'"$(sign "$(head -n 1 /var/lib/evidence-tickets/sign-ticket)")"'",
        "values":{"appId":"TIDA0001","orderNo":"ord1","code":"0"}}' | grep '"valid":true'
}

# Installed, nothing runs: there is no key yet.
[ "$(systemctl is-active evidence.socket evidence.service evidence-keeper.service | xargs)" = "inactive inactive inactive" ]
systemd-run --unit sandbox evidence-sandbox
wait_until curl -sS -f http://127.0.0.1:8440/sandbox/report
install -m 600 /vectors/rsa3072.pem /etc/evidence/key.pem
echo SANDBOX-SECRET-OF-NO-VENDOR > /etc/evidence/secret
printf 'APP_ID=TIDA0001\nOPTIONS="--host 127.0.0.1:8440"\n' > /etc/default/evidence-vendor
echo 'OPTIONS="--app-id TIDA0001 --ticket-folder /var/lib/evidence-tickets"' > /etc/default/evidence-service
systemctl enable --now evidence-keeper.service evidence.socket
works
[ "$(systemctl is-active evidence.socket evidence.service evidence-keeper.service | xargs)" = "active active active" ]
systemd-analyze verify evidence.service evidence-keeper.service
[ "$(stat -c '%a %U' /etc/evidence)" = "700 root" ]
if nsenter -t "$(systemctl show -P MainPID evidence.service)" -m ls /var/lib/evidence-keeper/store; then exit 1; fi

# Upgraded while it runs: a socket that is another one is renewed, and what answers then is the new one.
[ "$(stat -c '%a %G' $socket)" = "600 evidence-callers" ]
upgraded() {
    process=$(systemctl show -P MainPID evidence.service)
    since=$(systemctl show -P ActiveEnterTimestampMonotonic evidence.socket)
    dpkg --force-confold --install /release/evidence-{tool,service,vendor,sandbox}_*.deb
    works
    [ "$(systemctl show -P MainPID evidence.service)" != "$process" ]
    [ "$(systemctl is-active evidence.socket evidence-keeper.service | xargs)" = "active active" ]
    [ "$(stat -c '%a %G' $socket)" = "660 evidence-callers" ]
    [ ! -e /run/evidence-socket.before ]
}
upgraded
# Upgraded to one like it, it stays.
upgraded
[ "$(systemctl show -P ActiveEnterTimestampMonotonic evidence.socket)" = "$since" ]

# The vendor's SDK.
mkdir /tmp/vendor
cd /tmp/vendor
cp /vectors/rsa3072.pem video-key.pem
evidence-tool diagnose --key video-key.pem --iv 0123456789abcdef -o profile.json /vectors/result.json > diagnosis.txt
. /root/unit.sh
ask -H "Evidence-IV: $(printf 0123456789abcdef | od -An -tx1 | tr -d ' \n')" --data-binary @/vectors/result.json \
    'http://evidence/v1/open?orderNo=ord1&profile=found' | cmp - /vectors/clip.mp4
# With a key for statements.
install -m 600 /vectors/other3072.pem /etc/evidence/compare.pem
sed -i 's|--profile|--compare-key /run/credentials/evidence.service/compare.pem --profile|' /etc/default/evidence-service
systemctl restart evidence.service
ask http://evidence/healthz
# Without one, the log says what is not there.
rm /etc/evidence/compare.pem
systemctl restart evidence.service || true
journalctl -o cat --no-pager -u evidence.service | grep 'compare.pem'
cd /

dpkg --purge evidence-service evidence-vendor
if ask http://evidence/healthz; then exit 1; fi
[ ! -e /var/lib/evidence-keeper ] && [ ! -e /var/lib/evidence-tickets ]
[ "$(ls /etc/evidence | xargs)" = "key.pem profile.json secret" ]
[ -z "$(find /etc/systemd -name 'evidence*')" ]
if journalctl -o cat --no-pager -u "evidence*" | grep SANDBOX-SECRET; then exit 1; fi
echo "all of it holds"
