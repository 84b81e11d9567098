/*
 * tickertape/tickertape.hpp - the recorder for C++17: typed events, combine writers, scopes.
 *
 * A thin layer of inline functions over the C headers, which C++ may include too. A call takes the
 * same instructions as the call in C. No heap, no exceptions, no RTTI, no static constructors, and
 * no header of the C++ library: it compiles with -ffreestanding -fno-exceptions -fno-rtti
 * -nostdinc++. GCC and clang.
 *
 *     using sample = tickertape::user_event<1, uint32_t, float>;
 *     sample::emit(number, volts);
 *
 * Context: any but NMI and HardFault (tickertape.h); nothing blocks. Calls compile to nothing when
 * the tracer or the class is not built in.
 */
#ifndef TICKERTAPE_TICKERTAPE_HPP
#define TICKERTAPE_TICKERTAPE_HPP

#include <stdint.h>

#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/system.h"

namespace tickertape
{

/*
 * Conversion of a value to one word of an event: integers and enumerations of at most 32 bits (sign
 * extended), bool, the bits of a float, the address of a pointer. Other types do not compile.
 */
template <typename Value> struct word_of {
    static_assert(sizeof(Value) <= sizeof(uint32_t), "a word has 32 bits: use object_event");
    static constexpr uint32_t get(Value value)
    {
        return static_cast<uint32_t>(value);
    }
};

template <> struct word_of<float> {
    static uint32_t get(float value)
    {
        uint32_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof bits);
        return bits;
    }
};

template <typename Object> struct word_of<Object *> {
    static uint32_t get(const volatile void *object)
    {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object));
    }
};

/* A simple event: class, number (0 to 1023), and the types of its words, at most two. */
template <uint32_t Class, uint32_t Number, typename... Words> struct event {
    static_assert(Class < TT_CLASS_COUNT && Number <= TT_RECORD_EVENT_MASK, "no such event type");
    static_assert(sizeof...(Words) <= 2, "an event has two words: use object_event");

    static void emit(Words... words)
    {
        const uint32_t both[] = {word_of<Words>::get(words)..., 0u, 0u};
        tt_add_event(Class, Number, both[0], both[1]);
    }
};

/* An event that carries one object, byte for byte, as a combine event. */
template <uint32_t Class, uint32_t Number, typename Object> struct object_event {
    static_assert(Class < TT_CLASS_COUNT && Number <= TT_RECORD_EVENT_MASK, "no such event type");
    static_assert(__is_trivially_copyable(Object), "its bytes would not be its value");

    static void emit(const Object &object)
    {
        tt_add_buffer(Class, Number, &object, static_cast<uint32_t>(sizeof object));
    }
};

/* An event that carries a text, without its terminating zero. */
template <uint32_t Class, uint32_t Number> struct text_event {
    static_assert(Class < TT_CLASS_COUNT && Number <= TT_RECORD_EVENT_MASK, "no such event type");

    static void emit(const char *text)
    {
        tt_add_string(Class, Number, text);
    }
};

/* A simple event of class USER. */
template <uint32_t Number, typename... Words>
using user_event = event<TT_CLASS_USER, Number, Words...>;

/*
 * Writer of a combine event, piece by piece. The constructor begins the event, the destructor ends
 * it. Use it on the stack of one thread or interrupt. See tt_combine_begin().
 */
class combine_writer
{
  public:
    combine_writer(uint32_t event_class, uint32_t number)
    {
        tt_combine_begin(&combine_, event_class, number);
    }

    ~combine_writer()
    {
        tt_combine_end(&combine_);
    }

    combine_writer(const combine_writer &) = delete;
    combine_writer &operator=(const combine_writer &) = delete;

    /* Add `count` bytes. */
    combine_writer &add(const void *bytes, uint32_t count)
    {
        tt_combine_add(&combine_, bytes, count);
        return *this;
    }

    /* Add an object, byte for byte. */
    template <typename Object> combine_writer &add(const Object &object)
    {
        static_assert(__is_trivially_copyable(Object), "its bytes would not be its value");
        return add(&object, static_cast<uint32_t>(sizeof object));
    }

  private:
    tt_combine_t combine_;
};

/*
 * Declare the rest of the block as a runnable: it begins here and ends wherever the block is left.
 * `runnable` is initialised with zeros and must exist as long as the program runs. See
 * tt_runnable_begin().
 */
class runnable_scope
{
  public:
    explicit runnable_scope(tt_runnable_t &runnable)
        : runnable_(runnable), instance_(tt_runnable_begin(&runnable))
    {
    }

    ~runnable_scope()
    {
        tt_runnable_end(&runnable_, instance_);
    }

    runnable_scope(const runnable_scope &) = delete;
    runnable_scope &operator=(const runnable_scope &) = delete;

  private:
    tt_runnable_t &runnable_;
    const uint32_t instance_;
};

/*
 * Emit an event at the begin and at the end of the rest of the block: Begin here, End wherever the
 * block is left, both with the same word.
 *
 *     using transfer_begins = tickertape::user_event<4, uint32_t>;
 *     using transfer_ends = tickertape::user_event<5, uint32_t>;
 *     tickertape::scope<transfer_begins, transfer_ends> transfer(block);
 */
template <typename Begin, typename End, typename Word = uint32_t> class scope
{
  public:
    explicit scope(Word word) : word_(word)
    {
        Begin::emit(word_);
    }

    ~scope()
    {
        End::emit(word_);
    }

    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

  private:
    const Word word_;
};

} // namespace tickertape

#endif
