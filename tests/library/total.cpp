// Prints the events by class and the balance of a tape, in C++: `total T.tape`.
#include "tickertape/tape.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

int main(int count, char **words)
{
    std::ifstream file(count > 1 ? words[1] : "", std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    tt_tape_t *opened = nullptr;
    const int status = tt_tape_open(&opened, bytes.data(), bytes.size());
    const std::unique_ptr<tt_tape_t, void (*)(tt_tape_t *)> tape(opened, tt_tape_close);
    if (status != TT_TAPE_OK) {
        std::puts(tt_tape_message(status));
        return 1;
    }
    unsigned long long events[32] = {};
    tt_tape_item_t item;
    while (tt_tape_next(opened, &item) > 0) {
        events[item.event.event_class] += item.kind == TT_TAPE_EVENT;
    }
    for (unsigned number = 0; number < 32; number++) {
        if (events[number] != 0) {
            std::printf("%u %llu\n", number, events[number]);
        }
    }
    tt_tape_balance_t total;
    tt_tape_balance(opened, &total);
    std::printf("%lld of %lld\n", static_cast<long long>(total.delivered),
                static_cast<long long>(total.offered));
    return 0;
}
