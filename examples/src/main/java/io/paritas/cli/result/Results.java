/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.result;

import io.paritas.inference.BundleKind;
import io.paritas.inference.CompleteFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * What may become of files that are in the place of results: they are kept without {@code --force}, and always if the command reads them.
 * Each command with a {@link ResultFile}, or with results of fixed names, has this mixin.
 */
@Command
public final class Results {
    private static final String FORCE = "--force";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = FORCE, description = "Replace results that exist.")
    private boolean force;

    /**
     * Refuses a command line by which a {@link ResultFile} would replace another file.
     *
     * @throws ParameterException if one would
     */
    public static void check(ParseResult parsed) {
        List<ArgSpec> all = parsed.matchedArgs();
        for (ArgSpec result : all) {
            if (result.getValue() instanceof ResultFile file) {
                CommandLine command = parsed.commandSpec().commandLine();
                OptionSpec force = parsed.commandSpec().findOption(FORCE);
                String name = result instanceof OptionSpec option ? option.longestName() : result.paramLabel();
                check(command, name, file.path(), others(all, result), force != null && (boolean) force.getValue());
            }
        }
    }

    /**
     * Refuses to replace results that a folder has.
     *
     * @param names of the results
     * @throws ParameterException if one of them exists and there is no {@code --force}, or the command reads it
     */
    public void requireFree(Path folder, String... names) {
        List<String> results = List.of(names);
        requireUnread(folder, results, command.commandLine());
        for (String name : results) {
            if (!force && isTaken(folder.resolve(name))) {
                throw new ParameterException(command.commandLine(), taken(name, folder));
            }
        }
    }

    /**
     * Refuses to replace what the command reads by a result.
     *
     * @param names of the results in the folder
     * @throws ParameterException if the command line has a file of such a name
     */
    public static void requireUnread(Path folder, List<String> names, CommandLine line) {
        List<Path> given = others(line.getParseResult().matchedArgs(), null);
        for (String name : names) {
            if (isRead(folder.resolve(name), given)) {
                throw new ParameterException(
                        line,
                        "a result must not replace a file that is read, as " + folder.resolve(name)
                                + ": name another folder");
            }
        }
    }

    /** Says that a folder has a result already, and what to do about it. */
    public static String taken(String name, Path folder) {
        return name + " exists in " + folder + ": name another folder, or replace it with " + FORCE;
    }

    private static void check(CommandLine command, String name, Path file, List<Path> given, boolean force) {
        if (isRead(file, given) || isOfModels(file, given)) {
            throw new ParameterException(
                    command, name + " must not be a file that is read or written otherwise, " + file + " is");
        }
        if (!force && isTaken(file)) {
            throw new ParameterException(
                    command,
                    name + " must be a new file, " + file + " exists: name another one, or replace it with " + FORCE);
        }
    }

    private static boolean isTaken(Path file) {
        return Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !CompleteFile.isWrittenInPlace(file);
    }

    private static boolean isRead(Path file, List<Path> given) {
        Path place = place(file);
        return !CompleteFile.isWrittenInPlace(file)
                && given.stream().anyMatch(path -> isSame(path, place) || isSame(path, CompleteFile.unfinished(place)));
    }

    /** Whether it is a model in a folder that the command line names, or describes those there. */
    private static boolean isOfModels(Path file, List<Path> given) {
        Path place = place(file);
        String name = place.toString();
        boolean isModel = Files.exists(place) && (name.endsWith(".onnx") || name.endsWith(".pt"));
        return (isModel || Stream.of(BundleKind.values()).anyMatch(kind -> place.endsWith(kind.file())))
                && given.stream().anyMatch(path -> isSame(path, place.getParent()));
    }

    /** Whether both are one file, or will be. */
    private static boolean isSame(Path one, Path other) {
        try {
            return (Files.exists(one) && Files.exists(other))
                    ? Files.isSameFile(one, other)
                    : place(one).equals(place(other));
        } catch (IOException e) {
            return false; // what cannot be looked at cannot be read either
        }
    }

    /** Where a file is, or will be: it and its folder may have several names, by links. */
    private static Path place(Path file) {
        Path whole = file.toAbsolutePath();
        try {
            whole = CompleteFile.target(whole);
            Path folder = whole.getParent();
            return folder != null && Files.exists(folder)
                    ? folder.toRealPath().resolve(whole.getFileName()).normalize()
                    : whole.normalize();
        } catch (IOException e) {
            return whole; // what cannot be looked at can be neither read nor written
        }
    }

    /** The words of a command line, as paths, but for those of one option. */
    private static List<Path> others(List<ArgSpec> all, ArgSpec option) {
        return all.stream()
                .filter(other -> other != option)
                .flatMap(other -> other.stringValues().stream())
                .flatMap(Results::path)
                .toList();
    }

    private static Stream<Path> path(String word) {
        try {
            return word.isEmpty() ? Stream.empty() : Stream.of(Path.of(word));
        } catch (InvalidPathException e) {
            return Stream.empty();
        }
    }
}
