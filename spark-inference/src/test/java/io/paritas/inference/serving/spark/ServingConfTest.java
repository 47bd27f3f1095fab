/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paritas.inference.Logged;
import io.paritas.inference.serving.http.HttpOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServingConfTest {
    @TempDir
    private Path folder;

    /** As openssl writes them. Where Kubernetes mounts a secret, the folder has the link ..data, and nobody else is there. */
    @Test
    void aSecretThatAllUsersMayReadIsToldOfButOfKubernetes() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "s3cret\n");
        ServingConf conf =
                new ServingConf(new SparkConf(false).set(ServingSettings.TOKEN_FILE.key(), token.toString()));

        try (Logged log = new Logged(ServingConf.class.getName())) {
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r-----"));
            assertThat(conf.http().token()).isEqualTo("s3cret");
            assertThat(log.lines()).isEmpty();

            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
            assertThat(conf.http().token()).isEqualTo("s3cret");
            assertThat(log.lines())
                    .containsExactly("WARN Paritas: a secret must be readable by its owner only, all users may read "
                            + token + ": chmod 600 it");

            Files.createSymbolicLink(folder.resolve("..data"), folder);
            conf.http();
            assertThat(log.lines()).hasSize(1);
        }
    }

    @Test
    void aFileForTheTokenMustBeThere() {
        Path none = folder.resolve("none");
        ServingConf conf = new ServingConf(new SparkConf(false).set(ServingSettings.TOKEN_FILE.key(), none.toString()));

        assertThatIllegalArgumentException()
                .isThrownBy(conf::http)
                .withMessage("spark.paritas.serving.tokenFile must name a file with a token, there is no file " + none);
    }

    @Test
    void bothServersNeedAPortOfTheirOwn() {
        SparkConf both = new SparkConf(false).set(ServingSettings.GRPC_PORT.key(), "8001");
        HttpOptions http = HttpOptions.DEFAULT.withPort(8001);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ServingConf(both).grpc(http))
                .withMessage("spark.paritas.serving.port and spark.paritas.serving.grpcPort must be two ports, got 8001"
                        + " for both");
        both.set(ServingSettings.GRPC_PORT.key(), "0");
        assertThat(new ServingConf(both).grpc(http.withPort(0))).contains(HttpOptions.DEFAULT);
    }

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
