# SPDX-License-Identifier: Apache-2.0
# Inside the container of scripts/steps/test-unit, where systemd runs Packages/Service/systemd.
socket=/run/evidence/evidence.sock
ask() { curl -sS -f -m 20 --unix-socket "$socket" "$@"; }
opens() { ask -H 'Content-Type: application/json' --data-binary @/root/payload.json 'http://evidence/v1/open?orderNo=ord1' | cmp - /root/video; }
of_service() { systemctl show -P "$1" evidence.service; }

systemd-analyze verify /etc/systemd/system/evidence.service /etc/systemd/system/evidence.socket

# Whoever asks first starts it; it opens what waits on the disk, too.
[ "$(stat -c '%a %G' $socket)" = "660 evidence-callers" ]
[ "$(of_service ActiveState)" = inactive ]
[ "$(ask http://evidence/healthz)" = ok ]
opens
process=$(of_service MainPID)
[ "$(of_service ActiveState)" = active ]
[ "$(awk '/^CapBnd/ { print $2 }' "/proc/$process/status")" = 0000000000000000 ]
[ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$process/status")" = 2 ]

# The group may ask, others may not.
runuser -u caller -- curl -sS -f --unix-socket $socket http://evidence/healthz
if runuser -u nobody -- curl -sS -f --unix-socket $socket http://evidence/healthz; then exit 1; fi

# A reload goes on with the copy of the key that systemd made at the start; a restart takes the new one.
install -m 600 /root/rsa3072.pem /etc/evidence/key.pem
systemctl reload evidence.service
for _ in $(seq 50); do ask http://evidence/metrics | grep -q '^evidence_reloads_total 1$' && break; sleep 0.1; done
ask http://evidence/metrics | grep '^evidence_reloads_total 1$'
opens
[ "$(of_service MainPID)" = "$process" ]
systemctl restart evidence.service
if opens; then exit 1; fi
install -m 600 /root/rsa2048.pem /etc/evidence/key.pem

# Stopped or killed, the next who asks has it back.
systemctl stop evidence.service
[ "$(of_service Result) $(of_service ExecMainStatus)" = "success 0" ]
opens
systemctl kill -s KILL evidence.service
for _ in $(seq 50); do [ "$(of_service ActiveState)" = failed ] && break; sleep 0.1; done
opens
systemctl stop evidence.service evidence.socket
if journalctl -o cat --no-pager -u evidence.service | grep ord1; then exit 1; fi
echo "all of it holds"
