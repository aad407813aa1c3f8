#!/bin/sh
# One conversation with curl: sign up, ask, follow the events, look at points and history.
#
#     examples/curl.sh [http://127.0.0.1:3000] [question]
#
# Works with and without accounts: a server with YARROW_AUTH=off has nothing to sign up for.
set -eu

url=${1:-http://127.0.0.1:3000}
question=${2:-What time is it in Tokyo?}
thread=$(python3 -c 'import uuid; print(uuid.uuid4())')
run=run-$(date +%s)

curl -sS --fail "$url/healthz" > /dev/null

field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

echo "== sign up"
token=$(
  curl -sS "$url/api/v1/auth/signup" \
    -H 'Content-Type: application/json' \
    -d "{\"email\": \"$thread@example.com\", \"password\": \"correct horse\"}" | field access_token
)
if [ -n "$token" ]; then
  set -- -H "Authorization: Bearer $token"
else
  set --
  echo "this server runs without accounts"
fi

echo "== ask: $question"
curl -sS --fail "$@" "$url/api/v1/agent/runs" \
  -H 'Content-Type: application/json' \
  -d "{
    \"threadId\": \"$thread\",
    \"runId\": \"$run\",
    \"state\": {},
    \"messages\": [{\"id\": \"msg-1\", \"role\": \"user\", \"content\": \"$question\"}],
    \"tools\": [],
    \"context\": [],
    \"forwardedProps\": {}
  }"
echo

echo "== follow the events"
curl -sSN --fail "$@" "$url/api/v1/agent/runs/$thread/events?runId=$run"

echo "== again, only what comes behind event 4"
curl -sSN --fail "$@" -H 'Last-Event-ID: 4' "$url/api/v1/agent/runs/$thread/events?runId=$run"

echo "== points"
curl -sS --fail "$@" "$url/api/v1/points"
echo

echo "== history"
curl -sS --fail "$@" "$url/api/v1/agent/history?threadId=$thread"
echo
