# SPDX-License-Identifier: Apache-2.0
# Inside the container of scripts/steps/test-unit: keeper and service, installed as docs/VENDOR-SERVER.md prints it, beside
# the sandbox.
socket=/run/evidence/evidence.sock
export APP_ID=TIDA0001
sign() { printf '%s\n' $APP_ID ord1 0 "$1" | LC_ALL=C sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1 | tr a-f A-F; }
verify() {
    curl -sS -m 20 --unix-socket $socket -H 'Content-Type: application/json' http://evidence/v1/verify -d \
        '{"recipe":"front-end-result","sign":"'"$(sign "$1")"'","values":{"appId":"'$APP_ID'","orderNo":"ord1","code":"0"}}'
}
holds() { verify "$1" | grep '"valid":true'; }
current() { head -n 1 /var/lib/evidence-tickets/sign-ticket; }
of_keeper() { systemctl show -P "$1" evidence-keeper.service; }
wait_until() { for _ in $(seq 120); do "$@" && return; sleep 0.5; done; return 1; }

# What an earlier run left in this root.
userdel evidence || true
groupdel evidence-callers
rm -rf /var/lib/evidence-*
systemd-run --unit first-sandbox /usr/local/bin/evidence-sandbox --sign-ticket-life 30
wait_until curl -sS -f http://127.0.0.1:8440/sandbox/report
cd /root/clone
sed -i 's/--app-id/--host 127.0.0.1:8440 --app-id/' Packages/Vendor/systemd/evidence-keeper.service
. /root/install.sh
[ "$(stat -c '%a %U' /etc/evidence)" = "700 root" ]
usermod -aG evidence-callers caller
systemd-analyze verify /etc/systemd/system/evidence-keeper.service /etc/systemd/system/evidence.service
[ "$(stat -c '%a %U' /var/lib/evidence-tickets /var/lib/evidence-tickets/sign-ticket | xargs)" = "700 evidence 600 evidence" ]
[ "$(awk '/^Seccomp:/ { print $2 }' "/proc/$(of_keeper MainPID)/status")" = 2 ]

# A new ticket holds at once, and the one before: nothing is reloaded.
first=$(current)
holds "$first"
process=$(systemctl show -P MainPID evidence.service)
if nsenter -t "$process" -m ls /var/lib/evidence-keeper/store; then exit 1; fi
is_renewed() { [ "$(current)" != "$first" ]; }
wait_until is_renewed
second=$(current)
holds "$second"
holds "$first"
[ "$(systemctl show -P MainPID evidence.service)" = "$process" ]

# Without the vendor the ticket expires, which both say; then it goes on.
systemctl stop first-sandbox
is_expired() { verify "$second" | grep '"code":"no-ticket"'; }
wait_until is_expired
[ "$(of_keeper ActiveState)" = active ]
journalctl -o cat --no-pager -u evidence-keeper.service | grep 'trying again in'
journalctl -o cat --no-pager -u evidence.service | grep 'tickets: the ticket in .* expired at'
systemd-run --unit second-sandbox /usr/local/bin/evidence-sandbox
is_back() { holds "$(current)"; }
wait_until is_back

# Stopped or killed.
systemctl kill -s KILL evidence-keeper.service
is_restarted() { [ "$(of_keeper NRestarts) $(of_keeper ActiveState)" = "1 active" ]; }
wait_until is_restarted
is_back
systemctl stop evidence-keeper.service
[ "$(of_keeper Result) $(of_keeper ExecMainStatus)" = "success 0" ]
if journalctl -o cat --no-pager -u evidence-keeper.service -u evidence.service | grep SANDBOX; then exit 1; fi
rm /etc/default/evidence-*
echo "all of the keeper holds"
