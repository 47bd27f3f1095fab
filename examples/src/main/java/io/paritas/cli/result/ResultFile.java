/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A file for what a command has found out at its end. It is looked at when the command line is parsed, so that no work is in vain, and written
 * as a whole or not at all.
 *
 * @param path of the file
 */
public record ResultFile(Path path) {

    /** Replaces the file by this text. */
    public void write(String text) throws IOException {
        CompleteFile.write(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Replaces the file by this content. */
    public void write(CompleteFile.Content content) throws IOException {
        CompleteFile.write(path, content);
    }

    @Override
    public String toString() {
        return path.toString();
    }

    /** Parses the name of a file that can be written. */
    public static final class Converter implements ITypeConverter<ResultFile> {
        @Override
        public ResultFile convert(String value) {
            Path path = Path.of(value);
            if (CompleteFile.isWrittenInPlace(path)) {
                return new ResultFile(path);
            }
            Path folder = path.toAbsolutePath().getParent();
            if (Files.isDirectory(path) || folder == null || !Files.isDirectory(folder)) {
                throw new TypeConversionException("it must be a file in an existing folder, got " + value);
            }
            if (!Files.isWritable(folder)) {
                throw new TypeConversionException("it must be in a folder that you may write to, got " + value);
            }
            try {
                CompleteFile.tryOut(path);
            } catch (IOException e) {
                throw new TypeConversionException("it must be a file that can be written, got " + value + ": " + e);
            }
            return new ResultFile(path);
        }
    }
}
