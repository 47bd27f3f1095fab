/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import java.util.List;
import java.util.Optional;

/**
 * Where {@code bin/paritas} starts. It takes classes of its own jar and of {@code java.base} only, so that it can say what is not there,
 * and that a command has found nothing out.
 */
public final class Main {
    private Main() {}

    /** Runs {@link Paritas}. What no command has handled is told here. */
    public static void main(String[] arguments) {
        List<String> words = List.of(arguments);
        int status = statusOfFailure(words);
        try {
            status = Paritas.execute(arguments);
        } catch (Throwable failure) {
            Optional<String> missing = missing(failure);
            System.err.println("paritas: " + missing.orElse(failure.toString()));
            if (missing.isEmpty() || words.contains("--verbose")) {
                failure.printStackTrace();
            }
        } finally {
            System.exit(status);
        }
    }

    /** 1 says of some commands that they have found damage. */
    private static int statusOfFailure(List<String> words) {
        return words.stream()
                        .filter(word -> !word.equals("--verbose"))
                        .findFirst()
                        .filter(List.of("verify", "screen")::contains)
                        .isPresent()
                ? 3
                : 1;
    }

    /** Returns which class is not there and what to do, if that is what has failed. */
    static Optional<String> missing(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String name = String.valueOf(root.getMessage()).replace('/', '.');
        if (!(root instanceof ClassNotFoundException || root instanceof NoClassDefFoundError) || name.contains(" ")) {
            return Optional.empty();
        }
        if (name.matches("(java|javax|jdk|sun|com\\.sun)\\..*")) {
            return Optional.of("this Java lacks the module with " + name + ": take a whole JDK");
        }
        return Optional.of("no jar has " + name
                + (name.matches("org\\.apache\\.(hadoop|spark)\\..*")
                        ? ": look at HADOOP_HOME or SPARK_HOME, if one is set, or unpack the distribution of Paritas anew"
                        : ": unpack the distribution of Paritas anew"));
    }
}
