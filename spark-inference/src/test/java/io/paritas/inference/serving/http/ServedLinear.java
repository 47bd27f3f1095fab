/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.inference.serving.http;

import io.paritas.inference.serving.FrontEnd;
import io.paritas.inference.serving.Limits;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A server of two instances of the linear model. */
abstract class ServedLinear {
    private final HttpOptions options;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    final FrontEnd frontEnd = new FrontEnd();
    final LocalInstances instances = new LocalInstances(frontEnd, thread);
    HttpServer server;

    ServedLinear() {
        this(HttpOptions.DEFAULT);
    }

    ServedLinear(HttpOptions options) {
        this.options = options;
    }

    @BeforeEach
    void start() {
        instances.serve("1", Limits.DEFAULT.withDeadline(Duration.ofMinutes(1)), 2);
        server = new HttpServer(frontEnd, options);
    }

    /** Listens with other options from now on. */
    final void listen(HttpOptions others) {
        server.close();
        server = new HttpServer(frontEnd, others);
    }

    @AfterEach
    void end() {
        server.close();
        frontEnd.close();
        thread.shutdownNow();
    }
}
