/* SPDX-License-Identifier: Apache-2.0 */
// The threads of a block, as fibers, and its shared memory.
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <memory>

#include "emulator.h"

namespace emulator {
Lane* lane;
Warp* warp;
uint3 block;
dim3 block_size, grid_size;
Wrong wrong = NOTHING;

std::vector<Kernel>& kernels() {
    static std::vector<Kernel> all;
    return all;
}

// ---- shared memory: every array, and the dynamic part, ends at an unmapped page of its own

static const size_t SHARED_LIMIT = 227 << 10;
static const unsigned char GARBAGE = 0xA5;

struct SharedArray {
    const void* tag;
    unsigned char* end;
    size_t bytes;
    bool fresh;
};
static std::vector<SharedArray> shared_arrays;
static unsigned char* dynamic_end;
static size_t dynamic_bytes, shared_bytes;

static size_t rounded(size_t n) { return (n + 15) & ~size_t(15); }

static unsigned char* end_of_guarded(size_t n) {
    static const size_t page = sysconf(_SC_PAGESIZE);
    const size_t size = (n + page - 1) / page * page;
    auto* memory = static_cast<unsigned char*>(
        mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory + size, page, PROT_NONE);
    return memory + size;
}

static void reset_shared(size_t dynamic) {
    if (!dynamic_end) dynamic_end = end_of_guarded(SHARED_LIMIT);
    dynamic_bytes = shared_bytes = dynamic;
    std::memset(dynamic_end - rounded(dynamic), GARBAGE, rounded(dynamic));
    for (auto& array : shared_arrays) array.fresh = true;
}

void* dynamic_shared(size_t alignment) {
    unsigned char* const start = dynamic_end - rounded(dynamic_bytes);
    if (reinterpret_cast<uintptr_t>(start) % alignment) {
        fprintf(stderr, "emulator: %zu bytes of shared memory end at a page, so they cannot start at a multiple of %zu\n", dynamic_bytes, alignment);
        abort();
    }
    return start;
}

// Whether nothing was written between the end of an array and its unmapped page.
static bool is_clean(const unsigned char* end, size_t bytes) {
    for (const unsigned char* c = end - rounded(bytes) + bytes; c < end; ++c)
        if (*c != GARBAGE) return false;
    return true;
}
static bool is_shared_clean() {
    for (auto& array : shared_arrays)
        if (!array.fresh && !is_clean(array.end, array.bytes)) return false;
    return is_clean(dynamic_end, dynamic_bytes);
}

void* shared_array(const void* tag, size_t bytes) {
    SharedArray* array = nullptr;
    for (auto& known : shared_arrays)
        if (known.tag == tag) array = &known;
    if (!array) {
        shared_arrays.push_back({tag, end_of_guarded(rounded(bytes)), bytes, true});
        array = &shared_arrays.back();
    }
    if (array->fresh) {
        array->fresh = false;
        shared_bytes += bytes;
        if (shared_bytes > SHARED_LIMIT) {
            fprintf(stderr, "emulator: a block has more than %zu bytes of shared memory\n", SHARED_LIMIT);
            abort();
        }
        std::memset(array->end - rounded(bytes), GARBAGE, rounded(bytes));
    }
    return array->end - rounded(bytes);
}

// ---- fibers: started as contexts, and then changed by jumps, which need no system call. A fiber lives on when its thread has ended,
// and runs a thread of the next block.

enum State { READY, AT_BLOCK_BARRIER, AT_WARP_BARRIER, DONE };
static const size_t STACK = 64 << 10;

struct Fiber {
    jmp_buf place;
    bool started;
    unsigned char stack[STACK];
};
static jmp_buf scheduler;
static std::vector<std::unique_ptr<Fiber>> fibers;
static std::vector<Lane> lanes;
static std::vector<Warp> warps;
static size_t current;
static void (*thread_body)(void**);
static void** thread_parameters;

static void leave(State state) {
    lanes[current].state = state;
    if (!_setjmp(fibers[current]->place)) _longjmp(scheduler, 1);
}
void wait_for_block() { leave(AT_BLOCK_BARRIER); }
void wait_for_warp() { leave(AT_WARP_BARRIER); }

static void run_threads() {
    for (;;) {
        thread_body(thread_parameters);
        leave(DONE);
    }
}

static void enter(size_t i) {
    current = i;
    lane = &lanes[i];
    warp = &warps[i / 32];
    Fiber& fiber = *fibers[i];
    if (_setjmp(scheduler)) return;
    if (fiber.started) _longjmp(fiber.place, 1);
    fiber.started = true;
    ucontext_t start;
    getcontext(&start);
    start.uc_stack.ss_sp = fiber.stack;
    start.uc_stack.ss_size = STACK;
    start.uc_link = nullptr;
    makecontext(&start, run_threads, 0);
    setcontext(&start);
}

static unsigned random_number() {
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static size_t count(size_t from, size_t to, State state) {
    size_t n = 0;
    for (size_t i = from; i < to; ++i) n += lanes[i].state == state;
    return n;
}

static void release(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) lanes[i].state = READY;
}

// Releases the warps, or the block, that have come together.
static bool release_complete(size_t threads) {
    bool released = false;
    for (size_t w = 0; w < warps.size(); ++w) {
        const size_t from = w * 32, to = std::min(threads, from + 32);
        if (count(from, to, AT_WARP_BARRIER) == to - from) {
            for (size_t i = from; i < to; ++i) std::memcpy(warps[w].slots[i - from], lanes[i].slot, SLOT);
            release(from, to);
            released = true;
        }
    }
    // Stricter than a GPU: a thread that has ended does not count as one that waits.
    if (!released && count(0, threads, AT_BLOCK_BARRIER) == threads) {
        release(0, threads);
        released = true;
    }
    return released;
}

static bool run_block(const char* name, const std::vector<size_t>& order, bool drift) {
    const size_t threads = order.size();
    unsigned held = 0, passes = 0, stalls = 0;
    while (count(0, threads, DONE) < threads) {
        bool ran = false, waiting = false;
        if (drift && passes-- == 0) {  // holds a random half of the warps back for some passes
            held = random_number();
            passes = 1 + random_number() % 64;
        }
        for (size_t i : order) {
            if (lanes[i].state != READY) continue;
            if (held >> (i / 32 & 15) & 1) {
                waiting = true;
                continue;
            }
            ran = true;
            enter(i);
        }
        if (release_complete(threads) || ran) {
            stalls = 0;
        } else if (waiting) {
            held = ++stalls > 50 ? 0 : random_number();
        } else if (count(0, threads, DONE) < threads) {
            fprintf(stderr, "emulator: %s, block (%u,%u,%u): of %zu threads %zu wait for the block, %zu for their warp, %zu have ended\n",
                    name, block.x, block.y, block.z, threads, count(0, threads, AT_BLOCK_BARRIER),
                    count(0, threads, AT_WARP_BARRIER), count(0, threads, DONE));
            return false;
        }
    }
    return true;
}

static void shuffle(std::vector<size_t>& numbers) {
    for (size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random_number() % i]);
}

bool run(const char* name, void (*body)(void**), void** parameters, dim3 grid, dim3 size, size_t dynamic) {
    static const int order = getenv("EMU_ORDER") ? atoi(getenv("EMU_ORDER")) : 0;
    const size_t threads = size_t(size.x) * size.y * size.z;
    lanes.resize(std::max(lanes.size(), threads));
    while (fibers.size() < threads) fibers.push_back(std::make_unique<Fiber>());
    warps.resize((threads + 31) / 32);
    block_size = size;
    grid_size = grid;
    thread_body = body;
    thread_parameters = parameters;
    std::vector<size_t> threads_in_order(threads);
    const size_t blocks = size_t(grid.x) * grid.y * grid.z;
    std::vector<size_t> blocks_in_order(blocks);
    for (size_t n = 0; n < blocks; ++n) blocks_in_order[n] = order == 1 ? blocks - 1 - n : n;
    if (order >= 2) shuffle(blocks_in_order);
    for (const size_t b : blocks_in_order) {
        block = {unsigned(b % grid.x), unsigned(b / grid.x % grid.y), unsigned(b / grid.x / grid.y)};
        reset_shared(dynamic);
        for (size_t i = 0; i < threads; ++i) {
            threads_in_order[i] = order == 1 ? threads - 1 - i : i;
            Lane& lane = lanes[i];
            lane.thread = {unsigned(i % size.x), unsigned(i / size.x % size.y), unsigned(i / size.x / size.y)};
            lane.state = READY;
            lane.groups = lane.product_groups = 0;
            lane.copies_shown = lane.sums_shown = false;
        }
        if (order >= 2) shuffle(threads_in_order);
        if (!run_block(name, threads_in_order, order >= 3)) {
            fibers.clear(), lanes.clear();  // some stand in the middle of this kernel
            return false;
        }
        for (size_t i = 0; i < threads; ++i)
            if (!lanes[i].copies.empty() || !lanes[i].products.empty()) {
                fprintf(stderr, "emulator: %s ended with copies or products on their way\n", name);
                return false;
            }
        if (!is_shared_clean()) {
            fprintf(stderr, "emulator: %s wrote behind its shared memory\n", name);
            return false;
        }
    }
    return true;
}
}  // namespace emulator
