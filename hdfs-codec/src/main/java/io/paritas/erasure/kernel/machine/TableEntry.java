/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.Arrays;

/**
 * Writes {@code int entry(long[] units, long length)}, which calls the code of a kernel with the addresses that are in a table, and {@code
 * int jump(long[] units, long length, void* entry)}, which jumps to the entry that it is given. By the System V calling convention.
 */
final class TableEntry {
    private static final Register TABLE = Register.RAX;
    /** Where a kernel takes the addresses of its first units; those of others are on the stack. */
    private static final Register[] IN_REGISTERS = {Register.RSI, Register.RDX, Register.RCX, Register.R8, Register.R9};

    private TableEntry() {}

    /** Returns the jump. */
    static byte[] jump() {
        return new Assembler(Width.BITS_256).jump(Register.RDX).assemble();
    }

    /** Returns an entry with the code of a kernel behind it. */
    static byte[] before(byte[] kernel, int units) {
        byte[] entry = write(units);
        byte[] all = Arrays.copyOf(entry, entry.length + kernel.length);
        System.arraycopy(kernel, 0, all, entry.length, kernel.length);
        return all;
    }

    private static byte[] write(int units) {
        Assembler code = new Assembler(Width.BITS_256);
        Label kernel = new Label();
        code.mov(TABLE, Register.RDI).mov(Register.RDI, Register.RSI);
        for (int unit = units - 1; unit >= IN_REGISTERS.length; unit--) {
            code.load(Register.R10, address(unit)).push(Register.R10);
        }
        for (int unit = 0; unit < Math.min(units, IN_REGISTERS.length); unit++) {
            code.load(IN_REGISTERS[unit], address(unit));
        }
        code.call(kernel)
                .add(Register.RSP, Long.BYTES * Math.max(0, units - IN_REGISTERS.length))
                .ret();
        code.align().bind(kernel);
        return code.assemble();
    }

    private static At address(int unit) {
        return new At(TABLE, null, unit * Long.BYTES);
    }
}
