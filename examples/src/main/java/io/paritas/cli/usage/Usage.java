/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.usage;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Refuses options before the work starts, with the exit status of wrong usage.
 *
 * @param command whose options they are
 */
public record Usage(CommandSpec command) {
    /**
     * Refuses a value.
     *
     * @param rule that names the option
     * @throws ParameterException unless the rule holds
     */
    public void require(boolean holds, String rule, Object value) {
        if (!holds) {
            throw refusal(rule + ", got " + value, null);
        }
    }

    /**
     * Refuses a command line, with a message of its own.
     *
     * @param message with a place for each of the values, as {@link String#format} has them
     * @throws ParameterException unless it holds
     */
    public void check(boolean holds, String message, Object... values) {
        if (!holds) {
            throw refusal(String.format(Locale.ROOT, message, values), null);
        }
    }

    /**
     * Refuses a path at which there is no file. A pipe is one.
     *
     * @param file null if the option is not given
     */
    public void requireFile(String option, Path file) {
        check(
                file == null || (Files.exists(file) && !Files.isDirectory(file)),
                "%s must be a file, there is none at %s: name another one",
                option,
                file);
    }

    /**
     * Refuses a number that is given and too small.
     *
     * @param value null if the option is not given
     */
    public void requireAtLeast(int least, String option, Integer value) {
        require(value == null || value >= least, option + " must be at least " + least, value);
    }

    /**
     * Returns what an option says.
     *
     * @param option by its name
     * @param meaning throws an {@link IllegalArgumentException} if it says nothing that there is
     */
    public <T> T parsed(String option, Supplier<T> meaning) {
        return parsed(meaning, option + ": ");
    }

    /** Returns what an option says, by a parser whose messages name it. */
    public <T> T parsed(Supplier<T> meaning) {
        return parsed(meaning, "");
    }

    private <T> T parsed(Supplier<T> meaning, String before) {
        try {
            return meaning.get();
        } catch (IllegalArgumentException e) {
            throw refusal(before + e.getMessage(), e);
        }
    }

    private ParameterException refusal(String message, Exception cause) {
        return new ParameterException(command.commandLine(), message, cause);
    }
}
