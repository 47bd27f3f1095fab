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

    /**
     * The result of compiling: the program, or why there is none that runs.
     *
     * @param description the version, or the same reason
     */
    private record Compiled(Path program, String description, boolean runs) {
        static final Compiled INSTANCE = compile();

        private static Compiled compile() {
            try {
                Path program = place();
                build(program);
                return new Compiled(program, described(program), true);
            } catch (IOException e) {
                return none(e.getMessage() + "; " + INSTALL);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return none("interrupted while compiling");
            }
        }

        private static Compiled none(String reason) {
            return new Compiled(Path.of(""), reason, false);
        }

        private static Path place() throws IOException {
            Path directory = Files.createTempDirectory("paritas-bench-");
            directory.toFile().deleteOnExit(); // the last one that is registered is deleted first
            Path program = directory.resolve("isal");
            program.toFile().deleteOnExit();
            return program;
        }

        private static void build(Path program) throws IOException, InterruptedException {
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
            if (gcc.waitFor() != 0) {
                throw new IOException("gcc: " + error(said));
            }
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
        return Compiled.INSTANCE.runs ? Optional.empty() : Optional.of(description());
    }

    /** The version, for example {@code isa-l 2.32.1, with GFNI}, or why it is missing. */
    static String description() {
        return Compiled.INSTANCE.description;
    }

    /**
     * Returns the version, which a program says when it is started.
     *
     * @throws IOException if it does not run, as where its library is not found, or its folder is mounted for data only
     */
    static String described(Path program) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(program.toString()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0 || said.isEmpty()) {
            throw new IOException("the compiled program does not run: " + said);
        }
        return said;
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
