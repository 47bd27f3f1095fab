/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace ptx {
namespace {
enum class Op { MOVE, MULTIPLY_WIDE, MULTIPLY_ADD, ADD, SHIFT_LEFT, AND, XOR, LOP3, PERMUTE, GREATER_EQUAL, EXIT_IF, PARAMETER, LOAD, STORE };

struct Kind {
    Op op;
    int bits;   // of the result
    int width;  // of an access to memory, in bytes
    int count;  // the registers of such an access
};
// All that may occur. Whatever else does is an error of the generator.
const std::map<std::string, Kind> KINDS = {
    {"mov.u32", {Op::MOVE, 32, 0, 0}},
    {"cvt.u64.u32", {Op::MOVE, 64, 0, 0}},
    {"mul.wide.u32", {Op::MULTIPLY_WIDE, 64, 0, 0}},
    {"mad.lo.u64", {Op::MULTIPLY_ADD, 64, 0, 0}},
    {"add.u64", {Op::ADD, 64, 0, 0}},
    {"shl.b64", {Op::SHIFT_LEFT, 64, 0, 0}},
    {"shl.b32", {Op::SHIFT_LEFT, 32, 0, 0}},
    {"and.b32", {Op::AND, 32, 0, 0}},
    {"xor.b32", {Op::XOR, 32, 0, 0}},
    {"lop3.b32", {Op::LOP3, 32, 0, 0}},
    {"prmt.b32", {Op::PERMUTE, 32, 0, 0}},
    {"setp.ge.u64", {Op::GREATER_EQUAL, 1, 0, 0}},
    {"ld.param.u64", {Op::PARAMETER, 64, 0, 0}},
    {"ld.global.nc.v4.u32", {Op::LOAD, 32, 16, 4}},
    {"ld.global.nc.v2.u32", {Op::LOAD, 32, 8, 2}},
    {"ld.global.nc.u32", {Op::LOAD, 32, 4, 1}},
    {"ld.global.nc.u8", {Op::LOAD, 32, 1, 1}},
    {"st.global.v4.u32", {Op::STORE, 32, 16, 4}},
    {"st.global.v2.u32", {Op::STORE, 32, 8, 2}},
    {"st.global.u32", {Op::STORE, 32, 4, 1}},
    {"st.global.u8", {Op::STORE, 32, 1, 1}},
};

struct Operand {
    int slot = -1;       // a register, or
    uint64_t value = 0;  // a constant
};
struct Instruction {
    Kind kind;
    std::vector<Operand> operands;  // results first; of an access to memory, its registers and then the address
    size_t parameter = 0, offset = 0;
    std::string line;
};

std::vector<std::string> words(std::string line) {
    for (char& c : line)
        if (strchr(",;{}[]", c)) c = ' ';
    std::istringstream stream(line);
    std::vector<std::string> result;
    for (std::string word; stream >> word;) result.push_back(word);
    return result;
}
}  // namespace

struct Program {
    std::string name;
    std::vector<Instruction> instructions;
    std::map<std::string, int> slots = {{"%tid.x", 0}, {"%ctaid.x", 1}, {"%ntid.x", 2}};
    std::vector<std::string> parameters;
};

static bool find(const std::string& text, const std::string& entry, std::string& parameters, std::string& body) {
    const size_t at = text.find(".entry " + entry + "(");
    if (at == std::string::npos) return false;
    const size_t open = text.find('(', at), close = text.find("\n)", open), end = text.find("\n}", close);
    parameters = text.substr(open + 1, close - open - 1);
    const size_t begin = text.find("\n{", close);
    body = text.substr(begin + 2, end - begin - 2);
    return true;
}

bool parameter_sizes(const std::string& text, const std::string& entry, std::vector<size_t>& sizes) {
    std::string parameters, body;
    if (!find(text, entry, parameters, body)) return false;
    std::istringstream lines(parameters);
    for (std::string line; std::getline(lines, line);) {
        const size_t bracket = line.rfind('[');
        const size_t param = line.find(".param");
        if (param == std::string::npos) continue;
        if (bracket != std::string::npos) {
            sizes.push_back(std::stoul(line.substr(bracket + 1)));
        } else {
            std::string type = words(line.substr(param + 6))[0];
            sizes.push_back(std::stoul(type.substr(2)) / 8);
        }
    }
    return true;
}

std::shared_ptr<Program> translate(const std::string& text, const std::string& entry, std::string& reason) {
    std::string parameters, body;
    find(text, entry, parameters, body);
    auto program = std::make_shared<Program>();
    program->name = entry;
    std::istringstream declarations(parameters);
    for (std::string line; std::getline(declarations, line);)
        if (line.find(".param") != std::string::npos) {
            std::string name = words(line).back();
            const size_t bracket = line.find('[');
            if (bracket != std::string::npos) name = words(line.substr(0, bracket)).back();
            program->parameters.push_back(name);
        }
    std::set<int> written = {0, 1, 2};
    std::istringstream lines(body);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> w = words(line);
        if (w.empty() || w[0] == ".reg" || w[0].compare(0, 2, "//") == 0 || w[0] == "DONE:" || w[0] == "ret") continue;
        Instruction instruction;
        instruction.line = line;
        if (w[0] == "@%p" && w.size() == 3 && w[1] == "bra" && w[2] == "DONE") {
            instruction.kind = {Op::EXIT_IF, 0, 0, 0};
            w = {"", "%p"};
        } else {
            auto kind = KINDS.find(w[0]);
            if (kind == KINDS.end()) return reason = "unknown instruction " + line, nullptr;
            instruction.kind = kind->second;
        }
        const Op op = instruction.kind.op;
        if (op == Op::STORE) std::rotate(w.begin() + 1, w.begin() + 2, w.end());  // the address last, as in a load
        if (op == Op::PARAMETER) {
            const size_t plus = w[2].find('+');
            const std::string name = w[2].substr(0, plus);
            const auto at = std::find(program->parameters.begin(), program->parameters.end(), name);
            if (at == program->parameters.end()) return reason = "unknown parameter " + line, nullptr;
            instruction.parameter = at - program->parameters.begin();
            instruction.offset = plus == std::string::npos ? 0 : std::stoul(w[2].substr(plus + 1));
            w.pop_back();
        }
        const size_t results = op == Op::STORE || op == Op::EXIT_IF ? 0 : op == Op::LOAD ? instruction.kind.count : 1;
        for (size_t i = 1; i < w.size(); ++i) {
            Operand operand;
            if (w[i][0] == '%') {
                operand.slot = program->slots.emplace(w[i], int(program->slots.size())).first->second;
                if (i > results && !written.count(operand.slot)) return reason = w[i] + " is read before it is written: " + line, nullptr;
            } else {
                operand.value = std::stoull(w[i], nullptr, 0);
            }
            instruction.operands.push_back(operand);
        }
        for (size_t i = 0; i < results; ++i) written.insert(instruction.operands[i].slot);
        program->instructions.push_back(instruction);
    }
    return program;
}

namespace {
// The registers of all threads of a block, register by register.
struct Block {
    size_t threads;
    std::vector<uint64_t> registers;
    std::vector<char> active;

    uint64_t& at(int slot, size_t t) { return registers[slot * threads + t]; }
    uint64_t value(const Operand& o, size_t t) { return o.slot < 0 ? o.value : at(o.slot, t); }
};

uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
    uint32_t result = 0;
    for (int i = 0; i < 8; ++i)
        if (table >> i & 1) result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}

uint64_t compute(const Instruction& i, Block& b, size_t t) {
    const auto& o = i.operands;
    auto v = [&](int n) { return b.value(o[n], t); };
    switch (i.kind.op) {
        case Op::MOVE: return v(1);
        case Op::MULTIPLY_WIDE: return uint64_t(uint32_t(v(1))) * uint32_t(v(2));
        case Op::MULTIPLY_ADD: return v(1) * v(2) + v(3);
        case Op::ADD: return v(1) + v(2);
        case Op::SHIFT_LEFT: return v(1) << v(2);
        case Op::AND: return v(1) & v(2);
        case Op::XOR: return v(1) ^ v(2);
        case Op::LOP3: return lop3(v(1), v(2), v(3), v(4));
        case Op::PERMUTE: return permute_bytes(v(1), v(2), v(3));
        case Op::GREATER_EQUAL: return v(1) >= v(2);
        default: return 0;
    }
}

bool access(const Instruction& i, Block& b, size_t t) {
    const uint64_t address = b.value(i.operands.back(), t);
    if (address % i.kind.width) {
        fprintf(stderr, "emulator: address %llx is not aligned:%s\n", static_cast<unsigned long long>(address), i.line.c_str());
        return false;
    }
    const size_t size = i.kind.width / i.kind.count;
    for (int n = 0; n < i.kind.count; ++n) {
        auto* memory = reinterpret_cast<unsigned char*>(address + n * size);
        uint64_t& value = b.at(i.operands[n].slot, t);
        if (i.kind.op == Op::LOAD) {
            value = 0;
            memcpy(&value, memory, size);
        } else {
            memcpy(memory, &value, size);
        }
    }
    return true;
}

bool run_block(const Program& program, void** parameters, Block& b) {
    for (const Instruction& i : program.instructions) {
        const uint64_t mask = i.kind.bits == 64 ? ~0ull : 0xffffffffull;
        for (size_t t = 0; t < b.threads; ++t) {
            if (!b.active[t]) continue;
            switch (i.kind.op) {
                case Op::EXIT_IF: b.active[t] = !b.value(i.operands[0], t); break;
                case Op::PARAMETER: memcpy(&b.at(i.operands[0].slot, t), static_cast<char*>(parameters[i.parameter]) + i.offset, 8); break;
                case Op::LOAD:
                case Op::STORE:
                    if (!access(i, b, t)) return false;
                    break;
                default: b.at(i.operands[0].slot, t) = compute(i, b, t) & mask;
            }
        }
    }
    return true;
}
}  // namespace

bool run(const Program& program, void** parameters, dim3 grid, dim3 block) {
    if (grid.y * grid.z * block.y * block.z != 1) return fprintf(stderr, "emulator: %s has one dimension\n", program.name.c_str()), false;
    Block b{block.x, std::vector<uint64_t>(program.slots.size() * block.x), {}};
    for (unsigned n = 0; n < grid.x; ++n) {
        b.active.assign(block.x, 1);
        for (size_t t = 0; t < block.x; ++t) b.at(0, t) = t, b.at(1, t) = n, b.at(2, t) = block.x;
        if (!run_block(program, parameters, b)) return false;
    }
    return true;
}
}  // namespace ptx
