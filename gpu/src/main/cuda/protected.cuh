/* SPDX-License-Identifier: Apache-2.0 */
// What the kernels are given that compute C = A * B and check it meanwhile, and how they report faults. A has a row for each query,
// or for each output position of a convolution; B are weights, packed block by block. A check compares a sum of values of C with the
// same sum computed in another way. For a row r of A the two may differ by at most |a_r| * bound, with the 2-norm of the row and a
// bound that the host computes from the weights (ErrorBound). Larger differences are reported in a buffer.
#pragma once
#include "tensor.cuh"

#define BLOCK 64         // rows and columns of a block of C, which is stored and measured together
#define THREADS 128      // in a block of threads, unless its tile says otherwise
#define GROUPS 16        // of four columns of a block, which are checked together
#define MAX_REPORTS 63   // in a buffer

// In the order of Scheme.java.
enum Scheme { NONE, GLOBAL, THREAD_HALF, THREAD, TWO_SIDED, REPLICATION, DUPLICATION };

enum Flags { FLOAT_OUTPUT = 2, MEASURE_NEXT = 8, HALF_ADDEND = 16 };

// In the order of Activation.Function.
enum Function { CLIP, SIGMOID, TANH };

struct Addresses {
    uint64_t a, weights, bias, c;
    uint64_t squares;       // of A: the sum of squares of each row, for each part of the columns; of images: of each pixel, of its channels
    uint64_t bounds;        // of B: one for each group of columns, then one for all columns
    uint64_t sums;          // GLOBAL: for each row of blocks the sum of each block of C, and then what their sum must be, a part for each slice
    uint64_t arrivals;      // GLOBAL: for each row of blocks, the tiles that have summed their part of it; 0 before and after
    uint64_t row_sums;      // GLOBAL: of B, with zeros behind
    uint64_t next_squares;  // of C as the next layer's A: its squares, a part for each column of blocks
    uint64_t verdict;
    uint64_t addend;        // values that are added to those of C before the activation, at the same places; or 0
    uint64_t partials;      // of products in slices: for each tile the sums of each slice
    uint64_t finished;      // of products in slices: for each tile, the slices that are done; 0 before and after
};

// Divides by a number that the host knows, without the many instructions of a division: n / d for n below 2^31. KernelParameters.java makes it.
struct Divisor {
    uint32_t multiplier, shift;
    DEVICE_FUNCTION int of(int n) const { return static_cast<int>(static_cast<uint64_t>(static_cast<uint32_t>(n)) * multiplier >> shift); }
};

struct Sizes {
    int m, n, k;
    int a_stride, c_stride;  // between rows, in elements
    int parts;               // of the columns, in squares
    int flags;
    // Of a convolution, whose A has a row for each image, y and x of the output, and a column for each y, x and channel of the
    // filter.
    int height, width, channels, out_height, out_width, filter_height, filter_width;
    int stride_y, stride_x, top, left, dilation_y, dilation_x;
    Divisor by_channels, by_out_height, by_out_width, by_filter_width, by_neighbours;  // the last by the neighbours in n, eight each
    int function;     // after the addend ...
    float low, high;  // ... values are cut to this range
};

struct Verdict {
    uint32_t faults, unchecked, unused[2];
    struct {
        int row, column;
        float difference, tolerance;
    } reports[MAX_REPORTS];
};

// The comparisons of a thread. It reports the first of its checks that fails.
struct Check {
    int row, column;
    float difference, tolerance;

    DEVICE_FUNCTION Check() : row(0), column(0), difference(0), tolerance(0) {}

    DEVICE_FUNCTION bool holds() const { return fabsf(difference) <= tolerance && tolerance < 1e30f; }

    DEVICE_FUNCTION void compare(int at_row, int at_column, float distance, float allowed) {
        if (!holds()) return;
        row = at_row, column = at_column, difference = distance, tolerance = allowed;
    }

    // Where the comparisons' row 0 and column 0 are in C. A tolerance that is NaN, or so large that C may be infinite without a fault,
    // comes from the input.
    DEVICE_FUNCTION void report(const Addresses& at, int first_row, int first_column) const {
        if (holds()) return;
        Verdict* verdict = reinterpret_cast<Verdict*>(at.verdict);
        if (!(tolerance < 1e30f)) {
            atomicAdd(&verdict->unchecked, 1u);
            return;
        }
        const uint32_t number = atomicAdd(&verdict->faults, 1u);
        if (number < MAX_REPORTS) {
            verdict->reports[number].row = first_row + row;
            verdict->reports[number].column = first_column + column;
            verdict->reports[number].difference = difference;
            verdict->reports[number].tolerance = tolerance;
        }
    }
};

// The bound of a group of columns.
DEVICE_FUNCTION float load_bound(const Addresses& at, int group) { return reinterpret_cast<const float*>(at.bounds)[group]; }

// Where tests inject a fault; the shipped kernels have none.
struct NoFault {
    template <class Values, class Checks>
    DEVICE_FUNCTION void spoil(int, Values&, Checks&) const {}
};
