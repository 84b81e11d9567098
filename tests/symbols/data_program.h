/* Variables of many types; SAY prints the address, size and name of one. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SAY(place) printf("%p %zu %s\n", (void *)(uintptr_t)&(place), sizeof(place), #place)

enum mode {
    IDLE,
    RUN = 3,
    FAULT
};
enum level {
    LOW = -2,
    HIGH = 2
};
typedef volatile const uint8_t port_t;

typedef struct pair {
    int16_t left;
    uint8_t right;
} pair_t;

struct motor {
    uint8_t id;
    pair_t wheels[3];
    struct {
        float speed;
        double sum;
    };
    struct {
        int32_t x, y;
    } place;
    bool on;
    enum mode mode;
    const char *text;
};
