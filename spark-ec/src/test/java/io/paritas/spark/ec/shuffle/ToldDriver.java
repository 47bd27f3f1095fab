/* SPDX-License-Identifier: Apache-2.0 */
package io.paritas.spark.ec.shuffle;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A driver that is told, and not asked. */
record ToldDriver(BlockingQueue<Object> messages) implements OnExecutor {
    ToldDriver() {
        this(new LinkedBlockingQueue<>());
    }

    @Override
    public void send(Object message) {
        messages.add(message);
    }

    @Override
    public Object ask(Object message) {
        throw new UnsupportedOperationException("the driver is told");
    }
}
