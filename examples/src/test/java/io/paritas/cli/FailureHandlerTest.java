/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.paritas.erasure.kernel.CodingFaultException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FailureHandlerTest {
    @Test
    void aMessageIsShownAsItIs() throws Exception {
        assertThat(shown(new IOException("No space left"))).isEqualTo("paritas: No space left\n");
        assertThat(shown(new FileSystemException("x", null, "Too many links")))
                .isEqualTo("paritas: x: Too many links\n");
        assertThat(shown(new IllegalStateException("No such kernel"))).isEqualTo("paritas: No such kernel\n");
        CodingFaultException fault = new CodingFaultException(6, 3);
        assertThat(shown(fault)).isEqualTo("paritas: " + fault.getMessage() + "\n");
    }

    @Test
    void aPathThatIsTheWholeMessageIsExplained() throws Exception {
        assertThat(shown(new NoSuchFileException("x"))).isEqualTo("paritas: no such file or directory: x\n");
        assertThat(shown(new AccessDeniedException("x"))).isEqualTo("paritas: permission denied: x\n");
        assertThat(shown(new NotDirectoryException("x"))).isEqualTo("paritas: NotDirectoryException: x\n");
    }

    @Test
    void aWrapperIsTakenOff() throws Exception {
        assertThat(shown(new UncheckedIOException(new IOException("Broken pipe"))))
                .isEqualTo("paritas: Broken pipe\n");
    }

    @Test
    void aBugHasItsStackTrace() throws Exception {
        assertThat(shown(new NullPointerException()))
                .startsWith("paritas: java.lang.NullPointerException\n")
                .contains("\tat io.paritas.cli.FailureHandlerTest");
    }

    private static String shown(Exception failure) throws Exception {
        StringWriter err = new StringWriter();
        CommandLine program = Paritas.commandLine().setErr(new PrintWriter(err));
        assertThat(program.getExecutionExceptionHandler().handleExecutionException(failure, program, null))
                .isEqualTo(1);
        return err.toString();
    }
}
