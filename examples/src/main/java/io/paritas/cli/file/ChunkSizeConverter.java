/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.file;

import io.paritas.erasure.file.ChunkSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses a chunk size from the command line. */
final class ChunkSizeConverter implements ITypeConverter<ChunkSize> {
    @Override
    public ChunkSize convert(String value) {
        try {
            return ChunkSize.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
