/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslHandler;
import io.paritas.inference.serving.http.SelfSigned;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.server.NoOpRpcHandler;
import org.apache.spark.network.server.TransportServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TransportTest {
    private static final String STORE = "io.paritas.test.keyStore";
    private static final String HOST = "127.0.0.1";

    /** Only Spark's SSLOptions replace variables, and look passwords up. */
    @Test
    void takesTheSettingsOfSparksRpcAsSparkReadsThem(@TempDir Path folder) throws Exception {
        SelfSigned.make(folder);
        System.setProperty(STORE, folder.resolve("store.p12").toString());
        SparkConf conf = new SparkConf(false)
                .set("spark.ssl.rpc.enabled", "true")
                .set("spark.ssl.rpc.protocol", "TLSv1.3")
                .set("spark.ssl.rpc.keyStore", "${system:" + STORE + "}")
                .set("spark.ssl.rpc.keyStoreType", "PKCS12")
                .set("spark.ssl.rpc.keyStorePassword", "changeit")
                .set("spark.ssl.rpc.keyPassword", "changeit");
        NoOpRpcHandler echo = new NoOpRpcHandler() {
            @Override
            public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
                callback.onSuccess(message);
            }
        };
        try (Transport transport = new Transport(
                        conf, new SecurityManager(conf, Option.empty(), package$.MODULE$.AUTH_SECRET_FILE()), echo);
                TransportServer server = transport.listen(HOST);
                TransportClient client = transport.connect(HOST, server.getPort())) {
            assertThat(client.getChannel().pipeline().get(SslHandler.class)).isNotNull();
            assertThat(client.sendRpcSync(ByteBuffer.wrap(new byte[] {7}), 30_000))
                    .isEqualTo(ByteBuffer.wrap(new byte[] {7}));
        } finally {
            System.clearProperty(STORE);
        }
    }
}
