#include "data_program.h"

#ifdef __cplusplus
struct base {
    int32_t first;
};
struct derived : base {
    int32_t second;
    static int32_t shared;
};
int32_t derived::shared;
namespace plant
{
    derived machine;
}
#endif

int32_t number;
static uint32_t counter = 5;
float temperature = 1.5f;
bool flag;
enum mode mode = RUN;
enum level level = LOW;
static uint16_t table[3][4];
struct motor motors[2];
struct motor *chosen = &motors[1];
static union {
    uint32_t word;
    uint8_t bytes[4];
} either;
struct {
    unsigned a : 3;
    unsigned b : 5;
    int32_t after;
} bits;
static port_t fixed[2] = {1, 2};
uint64_t wide;

int main(void)
{
    static int8_t inside;
    inside++;
    counter++;
    table[0][0]++;
    either.word++;
    SAY(number);
    SAY(counter);
    SAY(temperature);
    SAY(flag);
    SAY(mode);
    SAY(level);
    SAY(table[0][0]);
    SAY(table[1][3]);
    SAY(table[2][0]);
    SAY(motors[0].id);
    SAY(motors[1].wheels[2].left);
    SAY(motors[1].wheels[2].right);
    SAY(motors[0].speed);
    SAY(motors[1].sum);
    SAY(motors[1].place.y);
    SAY(motors[0].on);
    SAY(motors[1].mode);
    SAY(motors[0].text);
    SAY(chosen);
    SAY(either);
    SAY(bits.after);
    SAY(fixed[1]);
    SAY(wide);
    SAY(inside);
#ifdef __cplusplus
    SAY(plant::machine.first);
    SAY(plant::machine.second);
    SAY(derived::shared);
#endif
    return 0;
}
