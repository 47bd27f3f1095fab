/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.CodeName;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the name of a code for files from the command line, such as {@code strip-6-3-4}. */
final class FileCodeConverter implements ITypeConverter<CodeName> {
    @Override
    public CodeName convert(String value) {
        try {
            return CodeName.parseForFiles(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
