/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import io.paritas.erasure.CodeParameters;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a code's shape from the command line, such as {@code 6-3}. */
final class CodeConverter implements ITypeConverter<CodeParameters> {
    private static final Pattern SHAPE = Pattern.compile("(\\d{1,3})-(\\d{1,3})");

    @Override
    public CodeParameters convert(String value) {
        Matcher shape = SHAPE.matcher(value);
        if (!shape.matches()) {
            throw new TypeConversionException("a code must be K-R, such as 6-3, got '" + value + "'");
        }
        try {
            return new CodeParameters(Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
