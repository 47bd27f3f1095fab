/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntBinaryOperator;

/**
 * Runs kernels for AArch64 on any machine, an instruction after the other: just those that {@link ArmAssembler} writes, by the pseudocode of the
 * Arm Architecture Reference Manual. It refuses what a processor or the system would: code may read its units, its constants and the stack, may
 * write units and the stack, and keeps to the calling convention. What a caller leaves undefined is full of rubbish. {@code it/on-arm.sh} runs the same tests in QEMU.
 */
final class ArmProcessor {
    private static final int CODE = 1 << 16;
    private static final int STACK = 8192;
    private static final int ROOM = 64;
    private static final int VECTOR = 16;
    private static final int SP = 31;
    private static final int LINK = 30;
    private static final int IN_REGISTERS = 8;
    /** The address to return to. */
    private static final int CALLER = 0xca11e4;

    private static final long SAVED = 0x1234_5678_9abc_def0L;

    private final ByteBuffer memory;
    private final int codeEnd;
    /** The first address that may be touched, and the one behind the last, of each unit. */
    private final int[][] units;

    private final int stackEnd;
    private final long[] x = new long[32];
    private final byte[][] v = new byte[32][VECTOR];
    private boolean negative;
    private boolean zero;
    private boolean carry;
    private boolean overflow;
    private int at;

    private ArmProcessor(byte[] code, byte[][] contents, int[] offsets, int length) {
        codeEnd = CODE + code.length;
        units = new int[contents.length][];
        int end = codeEnd + ROOM;
        for (int i = 0; i < contents.length; i++) {
            units[i] = new int[] {end + offsets[i], end + offsets[i] + length};
            end += contents[i].length + ROOM;
        }
        int stack = (end + VECTOR - 1) / VECTOR * VECTOR;
        stackEnd = stack + STACK;
        memory = ByteBuffer.allocate(stackEnd + contents.length * Long.BYTES + ROOM)
                .order(ByteOrder.LITTLE_ENDIAN);
        memory.put(CODE, code);
        for (int i = 0; i < contents.length; i++) {
            memory.put(units[i][0] - offsets[i], contents[i]);
        }
    }

    /**
     * Calls a kernel as C does.
     *
     * @param contents the units, which are read and overwritten
     * @param offsets where each starts in its array
     * @return what the kernel returns
     */
    static int call(byte[] code, byte[][] contents, int[] offsets, int length) {
        ArmProcessor processor = new ArmProcessor(code, contents, offsets, length);
        processor.x[0] = length;
        for (int i = 0; i < contents.length; i++) {
            if (i + 1 < IN_REGISTERS) {
                processor.x[i + 1] = processor.units[i][0];
            } else {
                processor.memory.putLong(
                        processor.stackEnd + (i + 1 - IN_REGISTERS) * Long.BYTES, processor.units[i][0]);
            }
        }
        return processor.run(contents, offsets);
    }

    /** Calls the entry before a kernel with a table of addresses. */
    static int callEntry(byte[] entry, byte[][] contents, int[] offsets, int length) {
        ArmProcessor processor = new ArmProcessor(entry, contents, offsets, length);
        for (int i = 0; i < contents.length; i++) {
            processor.memory.putLong(processor.stackEnd + i * Long.BYTES, processor.units[i][0]);
        }
        processor.x[0] = processor.stackEnd;
        processor.x[1] = length;
        return processor.run(contents, offsets);
    }

    private int run(byte[][] contents, int[] offsets) {
        x[SP] = stackEnd;
        x[LINK] = CALLER;
        Arrays.fill(x, IN_REGISTERS, 18, SAVED);
        for (byte[] vector : v) {
            Arrays.fill(vector, (byte) 0xa5);
        }
        for (int register = 18; register < LINK; register++) {
            x[register] = SAVED + register;
        }
        for (int register = 8; register < 16; register++) {
            ByteBuffer.wrap(v[register]).order(ByteOrder.LITTLE_ENDIAN).putLong(SAVED - register);
        }
        at = CODE;
        while (at != CALLER) {
            require(at >= CODE && at < codeEnd, "jump");
            int word = memory.getInt(at);
            at += Integer.BYTES;
            step(word);
        }
        require(x[SP] == stackEnd, "stack at the end");
        for (int register = 18; register < LINK; register++) {
            require(x[register] == SAVED + register, "register of the caller");
        }
        for (int register = 8; register < 16; register++) {
            require(
                    ByteBuffer.wrap(v[register]).order(ByteOrder.LITTLE_ENDIAN).getLong() == SAVED - register,
                    "vector register of the caller");
        }
        for (int i = 0; i < contents.length; i++) {
            memory.get(units[i][0] - offsets[i], contents[i]);
        }
        return (int) x[0];
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("wrong " + what + " before " + Integer.toHexString(at - CODE));
        }
    }

    private void step(int word) {
        int d = word & 31;
        int n = word >> 5 & 31;
        int m = word >> 16 & 31;
        int immediate = word >> 10 & 0xfff;
        if (!general(word, d, n, m, immediate)
                && !jump(word, n)
                && !pair(word, d, n)
                && !vector(word, d, n, m, immediate)) {
            throw new IllegalStateException(
                    "no instruction of kernels: %08x at %x".formatted(word, at - Integer.BYTES - CODE));
        }
    }

    private boolean general(int word, int d, int n, int m, int immediate) {
        switch (word & 0xffc00000) {
            case 0xf9400000 -> set(d, memory.getLong(address(x[n] + immediate * 8L, Long.BYTES, n)));
            case 0xf9000000 -> memory.putLong(writable(x[n] + immediate * 8L, Long.BYTES, n), get(d));
            case 0x91000000 -> x[d] = x[n] + immediate;
            case 0xd1000000 -> x[d] = x[n] - immediate;
            case 0xf1000000 -> set(d, difference(x[n], immediate));
            default -> {
                return registers(word, d, n, m);
            }
        }
        return true;
    }

    private boolean registers(int word, int d, int n, int m) {
        switch (word & 0xffe0fc00) {
            case 0xaa000000 -> set(d, get(n) | get(m));
            case 0x8b000000 -> set(d, get(n) + get(m));
            case 0xcb000000 -> set(d, get(n) - get(m));
            case 0xeb000000 -> set(d, difference(get(n), get(m)));
            case 0x8a000000 -> set(d, get(n) & get(m));
            case 0xea000000 -> set(d, logical(get(n) & get(m)));
            default -> {
                return move(word, d);
            }
        }
        return true;
    }

    private boolean move(int word, int d) {
        long number = word >> 5 & 0xffff;
        switch (word & 0xffe00000) {
            case 0xd2800000 -> set(d, number);
            case 0x92800000 -> set(d, ~number);
            default -> {
                return word == 0xd503201f; // nop
            }
        }
        return true;
    }

    private boolean jump(int word, int n) {
        if ((word & 0xff000010) == 0x54000000) {
            if (holds(word & 15)) {
                at += (word << 8 >> 13) * Integer.BYTES - Integer.BYTES;
            }
        } else if ((word & 0x7c000000) == 0x14000000) {
            if (word < 0) {
                x[LINK] = at;
            }
            at += (word << 6 >> 6) * Integer.BYTES - Integer.BYTES;
        } else if ((word & 0xfffffc1f) == 0xd61f0000 || (word & 0xfffffc1f) == 0xd65f0000) {
            at = (int) x[n];
        } else {
            return false;
        }
        return true;
    }

    private boolean holds(int condition) {
        return switch (condition) {
            case 0 -> zero;
            case 1 -> !zero;
            case 3 -> !carry;
            case 10 -> negative == overflow;
            case 11 -> negative != overflow;
            default -> throw new IllegalStateException("condition " + condition);
        };
    }

    private boolean pair(int word, int d, int n) {
        int other = word >> 10 & 31;
        long bytes = (word << 10 >> 25) * (long) Long.BYTES;
        switch (word & 0xffc00000) {
            case 0xa9800000 -> {
                x[n] += bytes;
                memory.putLong(writable(x[n], 2 * Long.BYTES, n), x[d]).putLong((int) x[n] + Long.BYTES, x[other]);
            }
            case 0x6d800000 -> {
                x[n] += bytes;
                memory.put(writable(x[n], 2 * Long.BYTES, n), v[d], 0, Long.BYTES)
                        .put((int) x[n] + Long.BYTES, v[other], 0, Long.BYTES);
            }
            case 0xa8c00000 -> {
                x[d] = memory.getLong(address(x[n], 2 * Long.BYTES, n));
                x[other] = memory.getLong((int) x[n] + Long.BYTES);
                x[n] += bytes;
            }
            case 0x6cc00000 -> {
                Arrays.fill(v[d], (byte) 0);
                Arrays.fill(v[other], (byte) 0);
                memory.get(address(x[n], 2 * Long.BYTES, n), v[d], 0, Long.BYTES)
                        .get((int) x[n] + Long.BYTES, v[other], 0, Long.BYTES);
                x[n] += bytes;
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private boolean vector(int word, int d, int n, int m, int immediate) {
        if ((word & 0xff000000) == 0x9c000000) {
            memory.get(address(at - Integer.BYTES + (word << 8 >> 13) * 4L, VECTOR, n), v[d]);
            return true;
        }
        switch (word & 0xffc00000) {
            case 0x3dc00000 -> memory.get(address(x[n] + immediate * 16L, VECTOR, n), v[d]);
            case 0x3d800000 -> memory.put(writable(x[n] + immediate * 16L, VECTOR, n), v[d]);
            default -> {
                return vectors(word, d, n, m);
            }
        }
        return true;
    }

    private boolean vectors(int word, int d, int n, int m) {
        byte[] one = v[n].clone();
        byte[] other = v[m].clone();
        switch (word & 0xffe0fc00) {
            case 0x3ce06800 -> memory.get(address(x[n] + x[m], VECTOR, n), v[d]);
            case 0x3ca06800 -> memory.put(writable(x[n] + x[m], VECTOR, n), v[d]);
            case 0x6e201c00 -> fill(d, one, other, (a, b) -> a ^ b);
            case 0x4ea01c00 -> fill(d, one, other, (a, b) -> a | b);
            case 0x4e201c00 -> fill(d, one, other, (a, b) -> a & b);
            case 0x4e000000 -> fill(d, other, other, (index, same) -> index < VECTOR ? one[index] : 0);
            case 0x6e000800 -> {
                System.arraycopy(one, 1, v[d], 0, VECTOR - 1);
                v[d][VECTOR - 1] = other[0];
            }
            default -> {
                return rest(word, d, n, m);
            }
        }
        return true;
    }

    private boolean rest(int word, int d, int n, int m) {
        byte[] one = v[n].clone();
        if ((word & 0xffe08000) == 0xce000000) {
            byte[] third = v[word >> 10 & 31].clone();
            fill(d, one, v[m].clone(), (a, b) -> a ^ b);
            fill(d, v[d].clone(), third, (a, b) -> a ^ b);
            return true;
        }
        switch (word & 0xfffffc00) {
            case 0x6f0c0400 -> fill(d, one, one, (a, same) -> a >> 4);
            case 0x6e30a800 -> {
                int most = 0;
                for (byte value : one) {
                    most = Math.max(most, value & 0xff);
                }
                Arrays.fill(v[d], (byte) 0);
                v[d][0] = (byte) most;
            }
            case 0x0e013c00 -> set(d, one[0] & 0xff);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void fill(int d, byte[] one, byte[] other, IntBinaryOperator with) {
        for (int i = 0; i < VECTOR; i++) {
            v[d][i] = (byte) with.applyAsInt(one[i] & 0xff, other[i] & 0xff);
        }
    }

    /** The register with number 31 is zero here, and the stack in addresses and immediate sums. */
    private long get(int register) {
        return register == SP ? 0 : x[register];
    }

    private void set(int register, long value) {
        if (register != SP) {
            x[register] = value;
        }
    }

    private long logical(long value) {
        negative = value < 0;
        zero = value == 0;
        carry = false;
        overflow = false;
        return value;
    }

    private long difference(long one, long other) {
        long difference = logical(one - other);
        carry = Long.compareUnsigned(one, other) >= 0;
        overflow = ((one ^ other) & (one ^ difference)) < 0;
        return difference;
    }

    private int writable(long address, int bytes, int base) {
        require(address >= codeEnd, "store into code");
        return address(address, bytes, base);
    }

    /** @param base the register that the address comes from: the stack has to be aligned then */
    private int address(long address, int bytes, int base) {
        require(base != SP || x[SP] % VECTOR == 0, "alignment of the stack");
        boolean isUnit = Arrays.stream(units).anyMatch(unit -> address >= unit[0] && address + bytes <= unit[1]);
        boolean isConstant = address >= CODE && address + bytes <= codeEnd;
        boolean isStack = address >= Math.min(x[SP], stackEnd) && address + bytes <= memory.capacity();
        require(isUnit || isConstant || isStack, "address " + address);
        return (int) address;
    }
}
