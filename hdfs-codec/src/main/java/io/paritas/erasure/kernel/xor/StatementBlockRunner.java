/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.erasure.kernel.xor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs a program statement by statement, whole words as a {@link StatementMethod}, the rest by {@link BlockTail}. */
final class StatementBlockRunner implements BlockRunner {
    /** The generated code of this JVM: one class for each word, whatever the program. */
    private static final Map<Word, StatementMethod> METHODS = new ConcurrentHashMap<>();

    private final int[] code;
    private final StatementMethod method;

    StatementBlockRunner(BlockProgram program, Word word) {
        code = program.code();
        method = method(word);
    }

    static StatementMethod method(Word word) {
        return METHODS.computeIfAbsent(word, StatementMethodGenerator::generate);
    }

    @Override
    public void run(byte[][] arrays, int[] offsets, int length) {
        for (int i = 0; i < code.length; i += code[i] + 2) {
            int done = method.run(code, i, arrays, offsets, length);
            if (done < length) {
                BlockTail.run(code, i, arrays, offsets, done, length);
            }
        }
    }
}
