/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** A child process that runs ISA-L in turns; {@code isal.c} describes the protocol. */
final class IsalLane implements Lane {
    private final Shape shape;
    private final Process process;
    private final BufferedReader answers;
    private final OutputStream questions;
    private final Map<Operation, List<Long>> expected = new EnumMap<>(Operation.class);

    private IsalLane(Shape shape, Process process) throws IOException {
        this.shape = shape;
        this.process = process;
        answers = process.inputReader(StandardCharsets.US_ASCII);
        questions = process.getOutputStream();
        answer(); // its version
    }

    /** Starts the program on the data of a stripe; its bytes must be those of the stripe. */
    static IsalLane start(Path program, Stripe stripe) throws IOException {
        Process process = new ProcessBuilder(program.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            IsalLane lane = new IsalLane(stripe.shape(), process);
            lane.send(stripe);
            return lane;
        } catch (IOException e) {
            process.destroy();
            throw e;
        }
    }

    /** Sends the data, and keeps the expected result. */
    private void send(Stripe stripe) throws IOException {
        for (Operation operation : Operation.values()) {
            expected.put(
                    operation,
                    Arrays.stream(stripe.expected(operation))
                            .map(IsalLane::crc32)
                            .toList());
        }
        ask("stripe " + shape.code().k() + " " + shape.code().r() + " " + shape.unitLength());
        for (byte[] unit : Stripe.arrays(stripe.data())) {
            questions.write(unit);
        }
        questions.flush();
        String answer = answer();
        if (!answer.equals("ok")) {
            throw new IOException("the ISA-L process must answer 'ok' to a stripe, got '" + answer + "'");
        }
    }

    private static long crc32(ByteBuffer unit) {
        CRC32 crc = new CRC32();
        crc.update(unit.duplicate());
        return crc.getValue();
    }

    @Override
    public Turn turn(Operation operation, long nanos) throws IOException {
        ask(
                operation == Operation.ENCODE
                        ? "encode " + nanos
                        : "decode " + operation.erased(shape.code()) + " " + nanos);
        questions.flush();
        List<Long> numbers = new ArrayList<>();
        for (String word : List.of(answer().split(" ", -1))) {
            numbers.add(Long.parseLong(word));
        }
        if (!numbers.subList(2, numbers.size()).equals(expected.get(operation))) {
            throw Lane.wrongBytes(Coders.ISAL, operation, shape);
        }
        return new Turn(numbers.get(0), numbers.get(1));
    }

    private void ask(String question) throws IOException {
        questions.write((question + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private String answer() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the ISA-L process ended during the measurement");
        }
        return line;
    }

    /** The process ends with its input. */
    @Override
    public void close() throws IOException {
        questions.close();
        process.onExit().join();
    }
}
