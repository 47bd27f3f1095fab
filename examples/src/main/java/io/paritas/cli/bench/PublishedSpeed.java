/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli.bench;

import io.paritas.erasure.CodeParameters;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A published speed of another machine ({@code published.csv}).
 *
 * @param machine its processor, and the threads used
 * @param gigabytesPerSecond GB/s (10⁹) of data
 * @param isal ISA-L on the same machine, if published
 */
record PublishedSpeed(
        String coder,
        String machine,
        CodeParameters code,
        Operation operation,
        double gigabytesPerSecond,
        Optional<Double> isal) {
    /** Returns all of them, by coder and code. */
    static List<PublishedSpeed> all() throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                PublishedSpeed.class.getResourceAsStream("published.csv"), StandardCharsets.UTF_8))) {
            return reader.lines()
                    .filter(line -> !line.startsWith("#"))
                    .skip(1)
                    .map(PublishedSpeed::parse)
                    .toList();
        }
    }

    private static PublishedSpeed parse(String line) {
        List<String> cells = List.of(line.split(",", -1));
        return new PublishedSpeed(
                cells.get(0),
                cells.get(1),
                new CodeParameters(Integer.parseInt(cells.get(2)), Integer.parseInt(cells.get(3))),
                Operation.valueOf(cells.get(4)),
                Double.parseDouble(cells.get(5)),
                Optional.of(cells.get(6)).filter(cell -> !cell.isEmpty()).map(Double::valueOf));
    }
}
