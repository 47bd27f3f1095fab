/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a number of threads; {@code all} is one for each processor. */
final class ThreadCount implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String value) {
        int count = value.equals("all")
                ? Runtime.getRuntime().availableProcessors()
                : value.matches("[0-9]{1,4}") ? Integer.parseInt(value) : 0;
        if (count < 1) {
            throw new TypeConversionException("threads must be 1 to 9999, or all, got '" + value + "'");
        }
        return count;
    }
}
