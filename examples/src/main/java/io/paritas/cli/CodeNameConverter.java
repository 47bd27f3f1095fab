/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import io.paritas.erasure.CodeName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a code's name from the command line, such as {@code rs-6-3}. */
final class CodeNameConverter implements ITypeConverter<CodeName> {
    @Override
    public CodeName convert(String value) {
        try {
            return CodeName.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
