/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses the name of a coder from the command line. */
final class CoderName implements ITypeConverter<Coder> {
    @Override
    public Coder convert(String value) {
        try {
            return Coders.named(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
