/* SPDX-License-Identifier: Apache-2.0 */
// Runs generated PTX: straight-line code of a few instructions, which has no CUDA source that g++ could compile.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator.h"

namespace ptx {
// The sizes of the parameters of an entry, in bytes; false if the text has no such entry.
bool parameter_sizes(const std::string& text, const std::string& entry, std::vector<size_t>& sizes);

struct Program;

// Translates an entry. Null, and a reason, if it has an instruction that is not known here.
std::shared_ptr<Program> translate(const std::string& text, const std::string& entry, std::string& reason);

// Runs every thread of a launch; false, and a line on stderr, if one accesses memory that is not aligned.
bool run(const Program& program, void** parameters, dim3 grid, dim3 block);
}  // namespace ptx
