#!/bin/sh
# run.sh TICKERTAPE TARGET FOLDER: serve the tasks, start the two programs, check the events read.
set -eu
tickertape=$1
target=$2
cd "$3"
rm -f broker
: >serving.txt
export TICKERTAPE_BROKER="unix:$PWD/broker"

"$tickertape" serve --target "$target" --example linux_and_rt --realtime --duration 60 \
    --socket broker -o linux_and_rt.tape >serving.txt 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
until grep -q "^serving at" serving.txt; do
    kill -0 $server 2>/dev/null || { cat serving.txt; echo "FAILED: serve has ended"; exit 1; }
    sleep 0.1
done

./linux_analyzer >analyzer.txt &
analyzer=$!
./linux_target >target.txt
wait $analyzer # ends when the tasks shut the stream down
wait $server || { cat serving.txt; echo "FAILED: serve ended with an error"; exit 1; }

for type in char int string linux; do
    grep -q "user event $type" analyzer.txt || {
        cat analyzer.txt
        echo "FAILED: the analyzer read no 'user event $type'"
        exit 1
    }
done
"$tickertape" info linux_and_rt.tape
echo "ok: $(grep -c "" analyzer.txt) lines of the analyzer in $PWD/analyzer.txt"
