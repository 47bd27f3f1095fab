/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.examples.bench;

import io.paritas.erasure.Generators;
import io.paritas.erasure.Matrix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * ISA-L, where this machine has it: a small program in C ({@code isal.c}) that is compiled with what is installed, once in a
 * JVM, and runs as a child process. The compiled program is the owner's only, and is deleted with this JVM.
 */
final class Isal {
    private static final String INSTALL = "install gcc and libisal-dev (so Debian and Ubuntu call them)";

    /** The attempt to compile: the program, or why there is none. */
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
            Process gcc = new ProcessBuilder("gcc", "-O2", "-pipe", "-x", "c", "-", "-o", program.toString(), "-lisal")
                    .redirectErrorStream(true)
                    .start();
            try (var stdin = gcc.getOutputStream();
                    InputStream source = Isal.class.getResourceAsStream("isal.c")) {
                source.transferTo(stdin);
            }
            String said = new String(gcc.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return gcc.waitFor() == 0 ? Optional.empty() : Optional.of("gcc: " + error(said) + "; " + INSTALL);
        }

        private static String error(String said) {
            return said.lines()
                    .filter(line -> line.contains("error") || line.contains("cannot find"))
                    .findFirst()
                    .orElse(said.strip());
        }
    }

    private Isal() {}

    /** Why ISA-L cannot be measured here, and what to install; or empty. */
    static Optional<String> missing() {
        return Compiled.INSTANCE.missing;
    }

    /** For example {@code isa-l 2.30.0}, or why it is missing. */
    static String description() throws IOException {
        if (missing().isPresent()) {
            return missing().get();
        }
        Process process = new ProcessBuilder(Compiled.INSTANCE.program.toString()).start();
        process.getOutputStream().close();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    }

    /** A process of its own on a stripe of that shape. */
    static Lane lane(Shape shape) throws IOException {
        return laneExpecting(Generators.hdfsCauchy(shape.code()), shape);
    }

    /** The same, whose bytes must be those of a generator. */
    static Lane laneExpecting(Matrix generator, Shape shape) throws IOException {
        return IsalLane.start(Compiled.INSTANCE.program, Stripe.random(shape, generator, ByteBuffer::allocate));
    }
}
