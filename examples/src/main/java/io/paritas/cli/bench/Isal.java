/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * ISA-L, where this machine has it: a small C program ({@code isal.c}) that is compiled once in a JVM and runs as a child process.
 * Only its owner can read the compiled program, which is deleted when this JVM ends.
 */
final class Isal {
    private static final String INSTALL = "install gcc and libisal-dev (so Debian and Ubuntu call them)";

    /** The result of compiling: the program, or why there is none. */
    private record Compiled(Path program, Optional<String> missing) {
        static final Compiled INSTANCE = compile();

        private static Compiled compile() {
            try {
                Path program = place();
                return new Compiled(program, build(program));
            } catch (IOException e) {
                return new Compiled(Path.of(""), Optional.of(e.getMessage() + "; " + INSTALL));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return new Compiled(Path.of(""), Optional.of("interrupted while compiling"));
            }
        }

        private static Path place() throws IOException {
            Path directory = Files.createTempDirectory("paritas-bench-");
            directory.toFile().deleteOnExit(); // the last one that is registered is deleted first
            Path program = directory.resolve("isal");
            program.toFile().deleteOnExit();
            return program;
        }

        private static Optional<String> build(Path program) throws IOException, InterruptedException {
            List<String> command =
                    new ArrayList<>(List.of("gcc", "-O2", "-pipe", "-x", "c", "-", "-o", program.toString()));
            if (installation != null) {
                Path libraries = installation.resolve("lib");
                command.addAll(
                        List.of("-I" + installation.resolve("include"), "-L" + libraries, "-Wl,-rpath," + libraries));
            } else {
                command.addAll(packaged("--cflags", "--libs"));
                packaged("--variable=libdir").forEach(libraries -> command.add("-Wl,-rpath," + libraries));
            }
            command.add("-lisal");
            Process gcc = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var stdin = gcc.getOutputStream();
                    InputStream source = Isal.class.getResourceAsStream("isal.c")) {
                source.transferTo(stdin);
            }
            String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return gcc.waitFor() == 0 ? Optional.empty() : Optional.of("gcc: " + error(said) + "; " + INSTALL);
        }

        /** What pkg-config says of ISA-L, word by word; nothing where it knows none or is not there. */
        private static List<String> packaged(String... questions) throws InterruptedException {
            List<String> command = new ArrayList<>(List.of("pkg-config", "--silence-errors"));
            command.addAll(List.of(questions));
            command.add("libisal");
            try {
                Process process = new ProcessBuilder(command).start();
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                return process.waitFor() != 0 || said.isEmpty() ? List.of() : List.of(said.split("\\s+"));
            } catch (IOException e) {
                return List.of();
            }
        }

        private static String error(String said) {
            return said.lines()
                    .filter(line -> line.contains("error") || line.contains("cannot find"))
                    .findFirst()
                    .orElse(said.strip());
        }
    }

    /** Where ISA-L is installed; null for where pkg-config or gcc finds it. */
    private static volatile Path installation;

    private Isal() {}

    /** Says where ISA-L is installed. Counts if it comes before the first use. */
    static void installedIn(Path directory) {
        installation = directory.toAbsolutePath();
    }

    /** Returns why ISA-L cannot be measured here and what to install; empty if it can. */
    static Optional<String> missing() {
        return Compiled.INSTANCE.missing;
    }

    /** The version, for example {@code isa-l 2.32.1, with GFNI}, or why it is missing. */
    static String description() throws IOException {
        if (missing().isPresent()) {
            return missing().get();
        }
        Process process = new ProcessBuilder(Compiled.INSTANCE.program.toString()).start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    }

    /** Starts a process with a stripe of a shape. */
    static Lane lane(Shape shape) throws IOException {
        return laneExpecting(Generators.hdfsCauchy(shape.code()), shape);
    }

    /** Starts a process whose bytes must be those of a generator. */
    static Lane laneExpecting(Matrix generator, Shape shape) throws IOException {
        return IsalLane.start(Compiled.INSTANCE.program, Stripe.random(shape, generator, ByteBuffer::allocate));
    }
}
