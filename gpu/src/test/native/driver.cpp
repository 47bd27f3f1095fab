/* SPDX-License-Identifier: Apache-2.0 */
// The entry points of libcuda.so.1 that CudaDriver uses, so that JCuda's bindings and all of our Java run where there is no
// GPU. An entry point that is not here fails when it is called. Work is done at once, in the calling thread, but copies
// and launches on a stream are done when somebody waits for the stream: a missing wait shows as old bytes.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <ctime>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "emulator.h"
#include "ptx.h"

enum Result {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_FAILED = 719,
    CAPTURE_UNSUPPORTED = 900,
};
typedef unsigned long long Address;
#define API extern "C" __attribute__((visibility("default"))) int
#define LOCKED std::lock_guard<std::recursive_mutex> guard(mutex)
#define CHECKED                             \
    LOCKED;                                 \
    if (!initialized) return NOT_INITIALIZED; \
    if (!context) return INVALID_CONTEXT;   \
    if (failures[context]) return failures[context]

static std::recursive_mutex mutex;
static bool initialized;
static const int DEVICES = 8;
static int retained[DEVICES];
static char primary[DEVICES];
static thread_local void* context;
static std::map<void*, int> failures;  // of a context: as on a GPU, the first one stays

// The emulated devices: EMU_DEVICES=0 is a driver without one, EMU_CAPABILITY=61 makes them old, EMU_MEMORY_MIB is what all have
// together. EMU_LOST_FILE=PATH: a launch that finds the file deletes it and fails, and so does everything after it, as on a GPU
// that is lost, with EMU_LOST_ERROR (719). Only the process that deletes it loses its GPU. EMU_CONTEXT_FULL=1: no context has room, because
// others have taken it. EMU_MULTIPROCESSORS is how many each has.
static int number(const char* name, int otherwise) { return getenv(name) ? atoi(getenv(name)) : otherwise; }

static int complain(int result, const char* format, ...) {
    va_list values;
    va_start(values, format);
    fputs("emulator: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return result;
}

// ---- device and context

API cuInit(unsigned) {
    LOCKED;
    if (number("EMU_DEVICES", 1) == 0) return NO_DEVICE;
    initialized = true;
    return SUCCESS;
}
API cuDriverGetVersion(int* version) { return *version = number("EMU_DRIVER", 13000), SUCCESS; }
API cuDeviceGetCount(int* n) { return *n = number("EMU_DEVICES", 1), initialized ? SUCCESS : NOT_INITIALIZED; }
API cuDeviceGet(int* device, int ordinal) {
    if (ordinal < 0 || ordinal >= number("EMU_DEVICES", 1)) return INVALID_DEVICE;
    return *device = ordinal, SUCCESS;
}
API cuDeviceGetUuid(void* uuid, int ordinal) {
    memset(uuid, 0xE0, 15);
    return static_cast<unsigned char*>(uuid)[15] = ordinal, SUCCESS;
}
API cuDeviceGetName(char* name, int size, int) { return snprintf(name, size, "CPU that emulates a GPU"), SUCCESS; }
API cuDeviceGetAttribute(int* value, int attribute, int) {
    const int capability = number("EMU_CAPABILITY", 90);
    switch (attribute) {
        case 16: *value = number("EMU_MULTIPROCESSORS", 2); break;
        case 75: *value = capability / 10; break;
        case 76: *value = capability % 10; break;
        default: return complain(INVALID_VALUE, "attribute %d is not emulated", attribute);
    }
    return SUCCESS;
}
API cuDevicePrimaryCtxRetain(void** c, int device) {
    LOCKED;
    if (!initialized) return NOT_INITIALIZED;
    if (device < 0 || device >= DEVICES) return INVALID_DEVICE;
    if (number("EMU_CONTEXT_FULL", 0)) return OUT_OF_MEMORY;
    ++retained[device];
    return *c = &primary[device], SUCCESS;
}
API cuDevicePrimaryCtxRelease_v2(int device) {
    LOCKED;
    if (!retained[device]) return INVALID_CONTEXT;
    return --retained[device], SUCCESS;
}
API cuCtxSetCurrent(void* c) { return context = c, SUCCESS; }
API cuCtxGetCurrent(void** c) { return *c = context, SUCCESS; }

// ---- memory: every buffer ends at an unmapped page, and its start is aligned to 16 bytes only

static std::map<Address, size_t> allocations;
static size_t allocated;
static std::map<void*, size_t> pinned;
static size_t pinned_bytes;
static const unsigned char FRESH = 0xCD;

static bool inside(Address p, size_t n) {
    auto it = allocations.upper_bound(p);
    if (it == allocations.begin()) return false;
    --it;
    return p + n <= it->first + it->second;
}
static size_t page() {
    static const size_t size = sysconf(_SC_PAGESIZE);
    return size;
}
static size_t rounded(size_t n) { return (n + 15) / 16 * 16; }
static size_t span(size_t n) { return (rounded(n) + page() - 1) / page() * page(); }

// Of larger buffers, which tests take to leave little memory, only the start is made garbage.
static const size_t MOST_FILLED = 64 << 20;
static size_t total_memory() { return size_t(number("EMU_MEMORY_MIB", 1024)) << 20; }

API cuMemAlloc_v2(Address* p, size_t n) {
    CHECKED;
    if (!n) return INVALID_VALUE;
    if (allocated + n > total_memory()) return OUT_OF_MEMORY;
    void* mapped = mmap(nullptr, span(n) + page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return OUT_OF_MEMORY;
    auto* base = static_cast<unsigned char*>(mapped);
    mprotect(base + span(n), page(), PROT_NONE);
    const size_t rest = span(n) - rounded(n);
    memset(base, FRESH, rest + std::min(n, MOST_FILLED));
    memset(base + rest + n, FRESH, rounded(n) - n);
    allocated += n;
    *p = Address(base + span(n) - rounded(n));
    allocations[*p] = n;
    return SUCCESS;
}
API cuMemHostAlloc(void** p, size_t n, unsigned) {
    CHECKED;
    // As much as the host's limits allow.
    if (!n || pinned_bytes + n > total_memory() || posix_memalign(p, 4096, n)) return OUT_OF_MEMORY;
    memset(*p, FRESH, n);
    pinned[*p] = n;
    pinned_bytes += n;
    return SUCCESS;
}
API cuMemFreeHost(void* p) {
    CHECKED;
    auto block = pinned.find(p);
    if (block == pinned.end()) return INVALID_VALUE;
    pinned_bytes -= block->second;
    pinned.erase(block);
    return free(p), SUCCESS;
}
API cuMemGetInfo_v2(size_t* available, size_t* total) {
    CHECKED;
    *total = total_memory();
    return *available = *total - allocated, SUCCESS;
}

// ---- streams and events: a queue of work, done when it is waited for

typedef std::function<int()> Work;
struct Graph {
    std::vector<Work> work;
};
struct Stream {
    std::deque<Work> work;
    Graph* recording = nullptr;
    void* context = nullptr;
};
struct Event {
    Stream* stream = nullptr;
    timespec time = {};
    bool recorded = false;
};
static std::set<Stream*> streams;
static Stream default_stream;
static int& failure(const Stream* s) { return failures[s->context ? s->context : context]; }

static Stream* find(void* s) {
    if (reinterpret_cast<uintptr_t>(s) <= 2) return &default_stream;
    auto it = streams.find(static_cast<Stream*>(s));
    return it == streams.end() ? nullptr : *it;
}
static int finish(Stream* s) {
    while (!s->work.empty()) {
        Work next = s->work.front();
        s->work.pop_front();
        const int result = next();
        if (result != SUCCESS && !failure(s)) failure(s) = result;
    }
    return failure(s);
}
static int enqueue(void* handle, Work work) {
    Stream* s = find(handle);
    if (!s) return INVALID_HANDLE;
    if (failure(s)) return failure(s);
    if (s->recording)
        s->recording->work.push_back(std::move(work));
    else
        s->work.push_back(std::move(work));
    return SUCCESS;
}
API cuMemFree_v2(Address p) {
    CHECKED;
    auto it = allocations.find(p);
    if (it == allocations.end()) return INVALID_VALUE;
    finish(&default_stream);  // as a GPU does: nobody uses the memory any more
    for (auto* stream : streams) finish(stream);
    const size_t n = it->second;
    allocated -= n;
    allocations.erase(it);
    auto *start = reinterpret_cast<unsigned char*>(p), *base = start + rounded(n) - span(n);
    bool spoiled = false;
    for (auto* c = base; c < start; ++c) spoiled |= *c != FRESH;
    for (auto* c = start + n; c < base + span(n); ++c) spoiled |= *c != FRESH;
    munmap(base, span(n) + page());
    return spoiled ? complain(ILLEGAL_ADDRESS, "something was written just outside of a buffer of %zu bytes", n) : SUCCESS;
}
API cuStreamCreate(void** s, unsigned) {
    CHECKED;
    auto* stream = new Stream;
    streams.insert(stream);
    stream->context = context;
    return *s = stream, SUCCESS;
}
API cuStreamSynchronize(void* s) {
    CHECKED;
    Stream* stream = find(s);
    if (!stream) return INVALID_HANDLE;
    return stream->recording ? int(CAPTURE_UNSUPPORTED) : finish(stream);
}
API cuStreamDestroy_v2(void* s) {
    CHECKED;
    auto* stream = static_cast<Stream*>(s);
    if (!streams.count(stream)) return INVALID_HANDLE;
    finish(stream);
    streams.erase(stream);
    return delete stream, SUCCESS;
}

// Graphs of work: what a stream was given between begin and end of a capture. Only launches are emulated in graphs.
static std::set<Graph*> graphs, executables;
API cuStreamBeginCapture_v2(void* s, int) {
    CHECKED;
    Stream* stream = find(s);
    if (!stream || stream == &default_stream) return CAPTURE_UNSUPPORTED;
    if (stream->recording) return INVALID_VALUE;
    graphs.insert(stream->recording = new Graph);
    return SUCCESS;
}
API cuStreamEndCapture(void* s, void** graph) {
    CHECKED;
    Stream* stream = find(s);
    if (!stream || !stream->recording) return INVALID_VALUE;
    *graph = stream->recording;
    stream->recording = nullptr;
    return SUCCESS;
}
API cuGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
    CHECKED;
    if (!graphs.count(static_cast<Graph*>(graph))) return INVALID_VALUE;
    auto* copy = new Graph(*static_cast<Graph*>(graph));
    executables.insert(copy);
    return *executable = copy, SUCCESS;
}
API cuGraphLaunch(void* executable, void* s) {
    CHECKED;
    auto* graph = static_cast<Graph*>(executable);
    if (!executables.count(graph)) return INVALID_VALUE;
    for (auto& work : graph->work) {
        const int result = enqueue(s, work);
        if (result != SUCCESS) return result;
    }
    return SUCCESS;
}
API cuGraphDestroy(void* graph) {
    CHECKED;
    if (!graphs.erase(static_cast<Graph*>(graph))) return INVALID_VALUE;
    return delete static_cast<Graph*>(graph), SUCCESS;
}
API cuGraphExecDestroy(void* executable) {
    CHECKED;
    if (!executables.erase(static_cast<Graph*>(executable))) return INVALID_VALUE;
    for (auto* stream : streams) finish(stream);
    return delete static_cast<Graph*>(executable), SUCCESS;
}

API cuEventCreate(void** e, unsigned) {
    CHECKED;
    return *e = new Event, SUCCESS;
}
API cuEventDestroy_v2(void* e) { return delete static_cast<Event*>(e), SUCCESS; }
API cuEventRecord(void* e, void* s) {
    CHECKED;
    auto* event = static_cast<Event*>(e);
    event->stream = find(s);
    event->recorded = false;
    return enqueue(s, [event] {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
        event->recorded = true;
        return int(SUCCESS);
    });
}
static int finish(Event* event) {
    if (!event->stream) return SUCCESS;
    return event->recorded ? failure(event->stream) : finish(event->stream);
}
API cuEventSynchronize(void* e) {
    CHECKED;
    return finish(static_cast<Event*>(e));
}
API cuStreamWaitEvent(void* s, void* e, unsigned) {
    CHECKED;
    auto* event = static_cast<Event*>(e);
    return enqueue(s, [event] { return finish(event); });
}
API cuEventElapsedTime(float* ms, void* from, void* to) {
    CHECKED;
    const timespec a = static_cast<Event*>(from)->time, b = static_cast<Event*>(to)->time;
    *ms = (b.tv_sec - a.tv_sec) * 1e3f + (b.tv_nsec - a.tv_nsec) * 1e-6f;
    return SUCCESS;
}

API cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t n, void* s) {
    CHECKED;
    if (!inside(to, n)) return INVALID_VALUE;
    return enqueue(s, [=] { return memcpy(reinterpret_cast<void*>(to), from, n), int(SUCCESS); });
}
API cuMemcpyDtoHAsync_v2(void* to, Address from, size_t n, void* s) {
    CHECKED;
    if (!inside(from, n)) return INVALID_VALUE;
    return enqueue(s, [=] { return memcpy(to, reinterpret_cast<void*>(from), n), int(SUCCESS); });
}
API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t n, void* s) {
    CHECKED;
    if (!inside(from, n) || !inside(to, n)) return INVALID_VALUE;
    return enqueue(s, [=] { return memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), n), int(SUCCESS); });
}
API cuMemsetD8Async(Address p, unsigned char value, size_t n, void* s) {
    CHECKED;
    if (!inside(p, n)) return INVALID_VALUE;
    return enqueue(s, [=] { return memset(reinterpret_cast<void*>(p), value, n), int(SUCCESS); });
}

// ---- modules and launches

struct Module {
    std::string text;
};
struct Function {
    std::string name;
    std::vector<size_t> sizes;
    const emulator::Kernel* kernel;           // compiled from the CUDA source, or
    std::shared_ptr<ptx::Program> generated;  // translated from the text
    void* context;
    int dynamic_limit = 48 << 10;
};

static const int OPTION_ERROR_LOG = 5, OPTION_ERROR_LOG_SIZE = 6;

API cuModuleLoadDataEx(void** m, const void* image, unsigned options, int* keys, void** values) {
    CHECKED;
    if (allocated >= total_memory()) return OUT_OF_MEMORY;  // kernels lie in the GPU's memory, too
    const std::string text(static_cast<const char*>(image));
    if (text.find(".version 8.0") == std::string::npos || text.find(".target sm_") == std::string::npos) {
        char* log = nullptr;
        size_t size = 0;
        for (unsigned i = 0; i < options; ++i) {
            if (keys[i] == OPTION_ERROR_LOG) log = static_cast<char*>(values[i]);
            if (keys[i] == OPTION_ERROR_LOG_SIZE) size = reinterpret_cast<uintptr_t>(values[i]);
        }
        if (log && size) snprintf(log, size, "emulator: no .version 8.0 or no .target");
        return INVALID_PTX;
    }
    return *m = new Module{text}, SUCCESS;
}
API cuModuleUnload(void* m) {
    CHECKED;
    return delete static_cast<Module*>(m), SUCCESS;
}
// The text decides: the kernel is one of its entries, with the parameters that the source has.
API cuModuleGetFunction(void** f, void* m, const char* name) {
    CHECKED;
    const std::string& text = static_cast<Module*>(m)->text;
    std::vector<size_t> sizes;
    if (!ptx::parameter_sizes(text, name, sizes)) return NOT_FOUND;
    for (auto& kernel : emulator::kernels())
        if (kernel.name == name) {
            if (sizes != kernel.parameter_sizes)
                return complain(INVALID_PTX, "the PTX of %s has other parameters than its source", name);
            return *f = new Function{name, sizes, &kernel, nullptr, context}, SUCCESS;
        }
    std::string reason;
    auto generated = ptx::translate(text, name, reason);
    if (!generated) return complain(INVALID_PTX, "%s: %s", name, reason.c_str());
    return *f = new Function{name, sizes, nullptr, generated, context}, SUCCESS;
}
API cuFuncSetAttribute(void* f, int attribute, int value) {
    CHECKED;
    if (attribute != 8 || value > 227 << 10) return INVALID_VALUE;
    return static_cast<Function*>(f)->dynamic_limit = value, SUCCESS;
}

typedef std::vector<std::vector<unsigned char>> Parameters;

// The file of EMU_WRONG_FILE has the first letters of a kernel's name: the next launch of such a kernel computes something wrong, and
// the file is deleted; "always " before the letters keeps it.
static emulator::Wrong what_goes_wrong(const std::string& kernel) {
    const char* file = getenv("EMU_WRONG_FILE");
    FILE* open = file ? fopen(file, "r") : nullptr;
    if (!open) return emulator::NOTHING;
    char text[80] = {};
    const std::string wanted(text, fread(text, 1, sizeof text - 1, open));
    fclose(open);
    const std::string always = "always ";
    const bool stays = wanted.rfind(always, 0) == 0;
    const std::string prefix = stays ? wanted.substr(always.size()) : wanted;
    if (kernel.rfind(prefix, 0) || (!stays && unlink(file))) return emulator::NOTHING;
    return kernel.rfind("gemm", 0) && kernel.rfind("convolution", 0) ? emulator::STORED : emulator::PRODUCT;
}

static int run(const Function& function, Parameters& copies, dim3 grid, dim3 block, unsigned dynamic) {
    const char* lost = getenv("EMU_LOST_FILE");
    if (lost && !unlink(lost)) return complain(number("EMU_LOST_ERROR", LAUNCH_FAILED), "the GPU is lost now, as %s asked for", lost);
    std::vector<void*> parameters;
    for (auto& copy : copies) parameters.push_back(copy.data());
    emulator::wrong = what_goes_wrong(function.name);
    const bool good = function.kernel
                          ? emulator::run(function.name.c_str(), function.kernel->body, parameters.data(), grid, block, dynamic)
                          : ptx::run(*function.generated, parameters.data(), grid, block);
    emulator::wrong = emulator::NOTHING;
    return good ? SUCCESS : LAUNCH_FAILED;
}
API cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned dynamic,
                   void* stream, void** parameters, void** extra) {
    CHECKED;
    const auto& function = *static_cast<Function*>(f);
    const Stream* used = find(stream);
    if (function.context != context || (used && used->context && used->context != context))
        return complain(INVALID_HANDLE, "%s or its stream is of another GPU than the thread's", function.name.c_str());
    if (extra || !parameters || !gx || !gy || !gz || gx > 0x7fffffff || gy > 65535 || gz > 65535) return INVALID_VALUE;
    if (!bx || !by || !bz || size_t(bx) * by * bz > 1024 || int(dynamic) > function.dynamic_limit) return INVALID_VALUE;
    auto copies = std::make_shared<Parameters>();  // a launch takes its parameters along
    for (size_t i = 0; i < function.sizes.size(); ++i) {
        auto* bytes = static_cast<unsigned char*>(parameters[i]);
        copies->emplace_back(bytes, bytes + function.sizes[i]);
    }
    const dim3 grid = {gx, gy, gz}, block = {bx, by, bz};
    return enqueue(stream, [=] { return run(function, *copies, grid, block, dynamic); });
}
