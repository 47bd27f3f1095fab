/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.machine;

import io.paritas.erasure.kernel.machine.CodeBuffer.Label;
import io.paritas.erasure.kernel.machine.Memory.At;
import java.util.Arrays;
import java.util.List;

/**
 * Writes {@code int entry(long[] units, long length)}, which calls the code of a kernel with the addresses that are in a table, and {@code
 * int jump(long[] units, long length, void* entry)}, which jumps to the entry that it is given. By the calling convention of Linux.
 */
final class TableEntry {
    private TableEntry() {}

    /** Returns the jump. */
    static byte[] jump(Architecture architecture) {
        return architecture
                .assembler()
                .jump(architecture.convention.arguments().get(2))
                .assemble();
    }

    /** Returns an entry with the code of a kernel behind it. */
    static byte[] before(Architecture architecture, byte[] kernel, int units) {
        byte[] entry = write(architecture, units);
        byte[] all = Arrays.copyOf(entry, entry.length + kernel.length);
        System.arraycopy(kernel, 0, all, entry.length, kernel.length);
        return all;
    }

    private static byte[] write(Architecture architecture, int units) {
        Convention convention = architecture.convention;
        List<Register> arguments = convention.arguments();
        Register table = convention.free().get(0);
        Register address = convention.free().get(1);
        int inRegisters = Math.min(units, convention.unitsInRegisters());
        int onStack = convention.frame((units - inRegisters) * Long.BYTES);
        Assembler code = architecture.assembler();
        Label kernel = new Label();
        code.saveReturn().subtract(convention.stack(), onStack);
        code.mov(table, arguments.get(0)).mov(arguments.get(0), arguments.get(1));
        for (int unit = inRegisters; unit < units; unit++) {
            code.load(address, entry(table, unit)).store(entry(convention.stack(), unit - inRegisters), address);
        }
        for (int unit = 0; unit < inRegisters; unit++) {
            code.load(arguments.get(1 + unit), entry(table, unit));
        }
        code.call(kernel).add(convention.stack(), onStack).restoreReturn().ret();
        code.align().bind(kernel);
        return code.assemble();
    }

    private static At entry(Register base, int index) {
        return new At(base, null, index * Long.BYTES);
    }
}
