/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import io.paritas.erasure.CodeName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a code from the command line, such as {@code rs-6-3} or {@code strip-6-3-4}. */
final class CodeNameConverter implements ITypeConverter<CodeName> {
    @Override
    public CodeName convert(String value) {
        try {
            return CodeName.parseForFiles(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
