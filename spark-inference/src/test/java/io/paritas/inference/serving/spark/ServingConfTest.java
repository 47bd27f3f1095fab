/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingConfTest {
    @TempDir
    private Path folder;

    /** A cluster would have given executors by then. */
    @Test
    void filesForTlsThatAreNoneAreRefusedBeforeAServerStarts() throws IOException {
        Path file = Files.writeString(folder.resolve("no.pem"), "nothing");
        ServingConf conf = new ServingConf(new SparkConf(false)
                .set(ServingSettings.TLS_CERTIFICATE.key(), file.toString())
                .set(ServingSettings.TLS_KEY.key(), file.toString()));

        assertThatIllegalArgumentException()
                .isThrownBy(conf::http)
                .withMessageStartingWith(
                        "TLS files must be a certificate and its key as PEM, the key as PKCS #8 without"
                                + " a password, got " + file + " and " + file + ": ");
    }
}
