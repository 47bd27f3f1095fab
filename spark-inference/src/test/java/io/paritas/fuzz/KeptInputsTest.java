/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every input that was kept is read or refused as its parser promises: examples, and what Jazzer found. */
class KeptInputsTest {
    private static final Path KEPT = Path.of("src/test/fuzz");

    @TestFactory
    List<DynamicTest> areReadOrRefused() throws IOException {
        try (Stream<Path> files = Files.walk(KEPT)) {
            return files.filter(Files::isRegularFile)
                    .sorted()
                    .map(input -> DynamicTest.dynamicTest(KEPT.relativize(input).toString(), () -> run(input)))
                    .toList();
        }
    }

    private static void run(Path input) throws Exception {
        Method target =
                Class.forName(input.getParent().getFileName().toString()).getMethod("fuzzerTestOneInput", byte[].class);
        byte[] bytes = Files.readAllBytes(input);
        assertThatCode(() -> invoke(target, bytes)).doesNotThrowAnyException();
    }

    private static void invoke(Method target, byte[] bytes) throws Throwable {
        try {
            target.invoke(null, (Object) bytes);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
