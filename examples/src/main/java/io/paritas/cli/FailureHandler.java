/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import io.paritas.erasure.kernel.CodingFaultException;
import io.paritas.inference.ModelException;
import io.paritas.inference.data.DataException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints in one sentence why a command failed. Prints a stack trace with {@code --verbose}, and for bugs. */
final class FailureHandler implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private final Paritas program;

    FailureHandler(Paritas program) {
        this.program = program;
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult ignored) {
        PrintWriter err = command.getErr();
        err.println("paritas: " + sentence(failure));
        if (program.verbose() || isBug(failure)) {
            failure.printStackTrace(err);
        }
        err.flush();
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    @Override
    public int handleParseException(ParameterException failure, String[] ignored) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println("paritas: " + failure.getMessage());
        UnmatchedArgumentException.printSuggestions(failure, err);
        err.println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    /** Returns whether the failure is unexpected, so that a sentence is not enough. */
    private static boolean isBug(Exception failure) {
        return failure instanceof RuntimeException
                && !(failure instanceof UncheckedIOException)
                && !(failure instanceof IllegalArgumentException)
                && !(failure instanceof IllegalStateException)
                && !(failure instanceof CodingFaultException)
                && !(failure instanceof ModelException)
                && !(failure instanceof DataException);
    }

    /** Returns whether a wrapper has a message of its own, and its cause is not one that is said better here. */
    private static boolean tellsMore(UncheckedIOException wrapper) {
        IOException cause = wrapper.getCause();
        return !(cause instanceof FileSystemException) && !cause.toString().equals(wrapper.getMessage());
    }

    /** Returns the message of a failure. Some exceptions of the JDK have nothing but a path. */
    private static String sentence(Exception failure) {
        if (failure instanceof UncheckedIOException unchecked) {
            return tellsMore(unchecked) ? unchecked.getMessage() : sentence(unchecked.getCause());
        }
        if (failure instanceof NoSuchFileException missing) {
            return "no such file or directory: " + missing.getFile();
        }
        if (failure instanceof AccessDeniedException denied) {
            return "permission denied: " + denied.getFile();
        }
        if (failure instanceof FileAlreadyExistsException there && there.getReason() == null) {
            return "another file is in the place of " + there.getFile();
        }
        if (failure instanceof FileSystemException mute && mute.getReason() == null) {
            return mute.getClass().getSimpleName() + ": " + mute.getFile();
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }
}
